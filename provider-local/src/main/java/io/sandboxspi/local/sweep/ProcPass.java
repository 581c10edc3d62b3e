package io.sandboxspi.local.sweep;

import io.sandboxspi.local.sweep.ProcFiles.Environment;
import io.sandboxspi.local.sweep.ProcessSweep.Pass;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Passes over {@code /proc} of one sweep; one pass serves all its trees. */
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

  @Override
  public boolean over(List<Tree> trees, int number) {
    Map<Integer, Tree> bySession = new HashMap<>();
    Map<String, Tree> byCookie = new HashMap<>();
    long notBefore = Long.MAX_VALUE;
    for (Tree tree : trees) {
      tree.beginPass();
      byCookie.put(tree.target.cookie(), tree);
      notBefore = Math.min(notBefore, tree.notBefore(files));
      if (tree.pinnedPid() != 0) {
        bySession.put(tree.pinnedPid(), tree);
      }
    }
    Map<Integer, Tree> owners = new HashMap<>();
    List<ProcEntry> others = new ArrayList<>();
    List<ProcEntry> members = new ArrayList<>();
    boolean certain = true;
    for (int pid : candidates(trees)) {
      ProcEntry entry = files.stat(pid).orElse(null);
      if (entry == null || !entry.alive() || entry.kernel() || pid == self) {
        continue;
      }
      if (entry.start() < notBefore) {
        continue;
      }
      Tree owner = bySession.get(entry.group());
      if (owner == null) {
        owner = bySession.get(entry.session());
      }
      if (owner == null) {
        Environment environment = files.environment(pid);
        owner = environment == Environment.FOUND ? byCookie.get(files.cookie()) : null;
        certain &= environment != Environment.EMPTY || number >= EMPTY_PASSES;
      }
      if (owner == null) {
        others.add(entry);
      } else {
        owners.put(pid, owner);
        members.add(entry);
      }
    }
    addDescendants(owners, members, others);
    if (number == 1) {
      trees.forEach(Tree::signalGroup);
    }
    for (ProcEntry member : members) {
      Tree owner = owners.get(member.pid());
      if (owner != null) {
        // The first signal to a group reached its members; later each is asked for itself.
        boolean signalled = number == 1 && owner.pinnedPid() == member.group();
        boolean refused = !signalled && PidSignal.kill(member, files) == PidSignal.Result.REFUSED;
        owner.seen(member.pid(), refused);
      }
    }
    return certain;
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
      round |= pid == 0 || tree.ageSeconds() * MOST_STARTS_A_SECOND > MAX_PID;
    }
    int newest = files.newestPid();
    if (round || newest < oldest || newest - oldest > FEW) {
      return files.pids();
    }
    List<Integer> few = new ArrayList<>();
    for (int pid = oldest; pid <= newest; pid++) {
      few.add(pid);
    }
    return few;
  }

  /** A child of a member is a member, whatever it did to its session and environment. */
  private static void addDescendants(
      Map<Integer, Tree> owners, List<ProcEntry> members, List<ProcEntry> others) {
    boolean found = true;
    while (found) {
      found = false;
      for (var rest = others.iterator(); rest.hasNext(); ) {
        ProcEntry entry = rest.next();
        Tree owner = owners.get(entry.parent());
        if (owner != null) {
          owners.put(entry.pid(), owner);
          members.add(entry);
          rest.remove();
          found = true;
        }
      }
    }
  }
}
