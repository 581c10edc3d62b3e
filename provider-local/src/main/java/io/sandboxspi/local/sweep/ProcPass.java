package io.sandboxspi.local.sweep;

import io.sandboxspi.local.driver.posix.Posix;
import io.sandboxspi.local.sweep.ProcFiles.Environment;
import io.sandboxspi.local.sweep.ProcessSweep.Pass;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Passes over {@code /proc} of one sweep; one pass serves all its trees. A file there costs as much
 * as twenty system calls, so what these can tell is not read.
 */
final class ProcPass implements Pass {
  /** A process whose environment is still empty then has none. */
  private static final int EMPTY_PASSES = 4;

  /** More than this many in question: then the list of all is cheaper. */
  private static final int FEW = 256;

  /** No machine starts more; leaves room for a burst. */
  private static final long MOST_STARTS_A_SECOND = 50_000;

  private static final int MAX_PID = new ProcFiles().maxPid();

  private final ProcFiles files = new ProcFiles();
  private final int self = (int) ProcessHandle.current().pid();
  private final long startedAt = System.nanoTime();

  /**
   * Looked at before in this sweep and of no tree; gone from here before a number can come again.
   */
  private final Set<Integer> strangers = new HashSet<>();

  /** What one pass has found. */
  private static final class Found {
    final Map<Integer, Tree> owners = new HashMap<>();
    final List<ProcEntry> members = new ArrayList<>();
    final Map<ProcEntry, Environment> others = new HashMap<>();
    boolean certain = true;

    void add(ProcEntry entry, Tree owner) {
      owners.put(entry.pid(), owner);
      members.add(entry);
    }
  }

  @Override
  public boolean over(List<Tree> trees, int number) {
    if (mayHaveGoneRound(System.nanoTime() - startedAt)) {
      strangers.clear();
    }
    Map<Integer, Tree> bySession = new HashMap<>();
    Map<String, Tree> byCookie = new HashMap<>();
    for (Tree tree : trees) {
      tree.beginPass();
      byCookie.put(tree.target.cookie(), tree);
      if (tree.pinnedPid() != 0) {
        bySession.put(tree.pinnedPid(), tree);
      }
    }
    Found found = new Found();
    List<Integer> unknown = new ArrayList<>();
    for (int pid : candidates(trees)) {
      if (pid == self || strangers.contains(pid)) {
        continue;
      }
      int group = Posix.getpgid(pid);
      if (group <= 0) {
        // Gone, of the kernel, or from outside of our namespace: never a descendant.
        continue;
      }
      Tree owner = bySession.get(group);
      if (owner == null) {
        owner = bySession.get(Posix.getsid(pid));
      }
      if (owner == null) {
        unknown.add(pid);
      } else {
        addMember(found, pid, owner, number);
      }
    }
    long notBefore = notBefore(trees, unknown.size());
    for (int pid : unknown) {
      addByCookie(found, pid, byCookie, notBefore, number);
    }
    addDescendants(found);
    found.others.forEach(
        (other, environment) -> {
          if (environment == Environment.ABSENT || environment == Environment.FOUND) {
            strangers.add(other.pid());
          }
        });
    signal(trees, found, number);
    return found.certain;
  }

  private void addMember(Found found, int pid, Tree owner, int number) {
    if (pid != owner.pinnedPid()) {
      files.stat(pid).filter(ProcEntry::alive).ifPresent(entry -> found.add(entry, owner));
    } else if (!owner.leaderExited()) {
      // A later pass sends it a signal of its own and must know its age for that.
      Optional<ProcEntry> entry =
          number == 1 ? Optional.of(ProcEntry.leader(pid)) : files.stat(pid);
      entry.filter(ProcEntry::alive).ifPresent(alive -> found.add(alive, owner));
    }
  }

  private void addByCookie(
      Found found, int pid, Map<String, Tree> byCookie, long notBefore, int number) {
    ProcEntry entry = files.stat(pid).orElse(null);
    if (entry == null || !entry.alive()) {
      return;
    }
    if (entry.kernel() || entry.start() < notBefore) {
      strangers.add(pid);
      return;
    }
    Environment environment = files.environment(pid);
    Tree owner = environment == Environment.FOUND ? byCookie.get(files.cookie()) : null;
    if (owner != null) {
      found.add(entry, owner);
      return;
    }
    found.certain &= environment != Environment.EMPTY || number >= EMPTY_PASSES;
    found.others.put(entry, environment);
  }

  /**
   * Nothing of the trees is older than this; 0 if that is not known, or dearer than to read the
   * environments of this many processes.
   */
  private long notBefore(List<Tree> trees, int processes) {
    if (processes < trees.size()) {
      return 0;
    }
    return trees.stream().mapToLong(tree -> tree.notBefore(files)).min().orElse(0);
  }

  private void signal(List<Tree> trees, Found found, int number) {
    if (number == 1) {
      trees.forEach(Tree::signalGroup);
    }
    for (ProcEntry member : found.members) {
      Tree owner = found.owners.get(member.pid());
      if (owner != null) {
        // The first signal to a group reached its members; later each is asked for itself.
        boolean signalled = number == 1 && owner.pinnedPid() == member.group();
        boolean refused = !signalled && PidSignal.kill(member, files) == PidSignal.Result.REFUSED;
        owner.seen(member.pid(), refused);
      }
    }
  }

  /**
   * Ids that may belong to a tree. They are given in turn, so descendants have those between their
   * leader and the newest; as long as the numbers cannot have gone round since, only few need a
   * look.
   */
  private List<Integer> candidates(List<Tree> trees) {
    int oldest = Integer.MAX_VALUE;
    boolean round = false;
    for (Tree tree : trees) {
      int pid = tree.pinnedPid();
      oldest = Math.min(oldest, pid);
      round |= pid == 0 || mayHaveGoneRound(tree.ageNanos());
    }
    int newest = round ? 0 : files.newestPid();
    if (round || newest < oldest || newest - oldest > FEW) {
      return files.pids();
    }
    List<Integer> few = new ArrayList<>();
    for (int pid = oldest; pid <= newest; pid++) {
      few.add(pid);
    }
    return few;
  }

  /** Whether a number that was given this long ago may have been given again. */
  private static boolean mayHaveGoneRound(long nanos) {
    return TimeUnit.NANOSECONDS.toMillis(nanos) * MOST_STARTS_A_SECOND / 1_000 >= MAX_PID / 2;
  }

  /** A child of a member is a member, whatever it did to its session and environment. */
  private static void addDescendants(Found found) {
    boolean more = true;
    while (more) {
      more = false;
      for (var rest = found.others.keySet().iterator(); rest.hasNext(); ) {
        ProcEntry entry = rest.next();
        Tree owner = found.owners.get(entry.parent());
        if (owner != null) {
          found.add(entry, owner);
          rest.remove();
          more = true;
        }
      }
    }
  }
}
