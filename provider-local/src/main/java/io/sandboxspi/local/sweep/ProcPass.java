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

  /** More than this many in question, or more than this many a tree: then the list is cheaper. */
  private static final int FEW = 256;

  private static final int FEW_A_TREE = 4;

  /** A signal that was sent to a group has reached its leader; from here on that is in doubt. */
  private static final int DOUBTS = 3;

  /** No machine starts more; leaves room for a burst. */
  private static final long MOST_STARTS_A_SECOND = 50_000;

  private static final int MAX_PID = maxPid();

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

  private static int maxPid() {
    try (ProcFiles files = new ProcFiles()) {
      return files.maxPid();
    }
  }

  @Override
  public void close() {
    files.close();
  }

  @Override
  public boolean over(List<Tree> trees, int number) {
    if (mayHaveGoneRound(System.nanoTime() - startedAt)) {
      strangers.clear();
    }
    Map<Integer, Tree> byLeader = new HashMap<>();
    Map<String, Tree> byCookie = new HashMap<>();
    Found found = new Found();
    for (Tree tree : trees) {
      tree.beginPass();
      byCookie.put(tree.target.cookie(), tree);
      if (tree.pinned() != 0) {
        byLeader.put(tree.pinned(), tree);
        addLeader(found, tree, number);
      }
      addKnown(found, tree);
    }
    Numbers numbers = numbers(trees);
    List<Integer> unknown = new ArrayList<>();
    for (int pid : candidates(numbers, trees.size())) {
      boolean seen = byLeader.containsKey(pid) || found.owners.containsKey(pid);
      if (pid != self && !seen && !strangers.contains(pid)) {
        addMember(found, pid, byLeader, unknown);
      }
    }
    long notBefore = unknown.isEmpty() ? 0 : notBefore(trees, numbers, unknown.size());
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

  private void addLeader(Found found, Tree tree, int number) {
    int pid = tree.pinned();
    if (tree.leaderExited()) {
      return;
    }
    // To signal it by itself takes its age.
    Optional<ProcEntry> entry =
        number < DOUBTS ? Optional.of(ProcEntry.leader(pid)) : files.stat(pid);
    entry.filter(ProcEntry::alive).ifPresent(alive -> found.add(alive, tree));
  }

  /** What was a member stays one: its parents may have ended, and what told of it with them. */
  private void addKnown(Found found, Tree tree) {
    for (var rest = tree.known.values().iterator(); rest.hasNext(); ) {
      ProcEntry before = rest.next();
      Optional<ProcEntry> now =
          files
              .stat(before.pid())
              .filter(entry -> entry.start() == before.start() && entry.alive());
      now.ifPresentOrElse(entry -> found.add(entry, tree), rest::remove);
    }
  }

  private void addMember(Found found, int pid, Map<Integer, Tree> byLeader, List<Integer> unknown) {
    int group = Posix.getpgid(pid);
    if (group <= 0) {
      // Gone, of the kernel, or from outside of our namespace: never a descendant.
      return;
    }
    Tree owner = byLeader.get(group);
    if (owner == null) {
      owner = byLeader.get(Posix.getsid(pid));
    }
    if (owner == null) {
      unknown.add(pid);
      return;
    }
    Tree member = owner;
    files.stat(pid).filter(ProcEntry::alive).ifPresent(entry -> found.add(entry, member));
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
  private long notBefore(List<Tree> trees, Numbers numbers, int processes) {
    if (numbers.inTurn()) {
      // Its leader is the oldest, give or take a start on another processor at the same time.
      return Math.max(0, numbers.first().startOf(files) - 1);
    }
    if (processes < trees.size()) {
      return 0;
    }
    return trees.stream().mapToLong(tree -> tree.startOf(files)).min().orElse(0);
  }

  private void signal(List<Tree> trees, Found found, int number) {
    if (number == 1) {
      trees.forEach(Tree::signalGroup);
    }
    for (ProcEntry member : found.members) {
      Tree owner = found.owners.get(member.pid());
      if (owner != null) {
        // The first signal to a group reached its members; later each is asked for itself.
        boolean leader = owner.pinned() == member.pid();
        boolean signalled =
            leader ? number < DOUBTS : number == 1 && owner.pinned() == member.group();
        boolean refused = !signalled && PidSignal.kill(member, files) == PidSignal.Result.REFUSED;
        owner.seen(member.pid(), refused);
        if (!leader) {
          owner.known.put(member.pid(), member);
        }
      }
    }
  }

  /**
   * Where numbers of the trees are.
   *
   * @param first the tree whose leader has the lowest number
   * @param inTurn whether numbers were given in turn since: descendants have those above it
   */
  private record Numbers(Tree first, boolean inTurn) {}

  private static Numbers numbers(List<Tree> trees) {
    Tree first = trees.get(0);
    boolean inTurn = true;
    int last = 0;
    for (Tree tree : trees) {
      inTurn &= tree.pinned() != 0 && !mayHaveGoneRound(tree.ageNanos());
      first = tree.pinned() < first.pinned() ? tree : first;
      last = Math.max(last, tree.pinned());
    }
    // After the highest number come low ones again: then the lowest is not the oldest.
    return new Numbers(first, inTurn && last - first.pinned() < MAX_PID / 2);
  }

  /** Ids that may belong to a tree: few as long as numbers were given in turn. */
  private List<Integer> candidates(Numbers numbers, int trees) {
    int oldest = numbers.first().pinned();
    int newest = numbers.inTurn() ? files.newestPid() : 0;
    if (!numbers.inTurn()
        || newest < oldest
        || newest - oldest > Math.max(FEW, FEW_A_TREE * trees)) {
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
