package io.sandboxspi.local.sweep;

import io.sandboxspi.local.driver.DriverProcess;
import io.sandboxspi.local.driver.posix.Posix;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What a sweep knows of one target so far. */
final class Tree {
  final Target target;
  final List<Integer> survivors = new ArrayList<>();
  boolean seenAlive;
  private int refused;
  private long leaderStart;

  Tree(Target target) {
    this.target = target;
    this.seenAlive = target.leader().filter(leader -> !leader.exited()).isPresent();
  }

  Optional<DriverProcess> leader() {
    return target.leader();
  }

  /** The leader's number while it is certainly the leader's; 0 otherwise. */
  int pinnedPid() {
    return leader().filter(DriverProcess::pinned).map(found -> (int) found.pid()).orElse(0);
  }

  /** Since before the start. */
  long ageNanos() {
    return System.nanoTime() - target.startedAt();
  }

  /** Whether the driver knows of the leader's end. */
  boolean leaderExited() {
    return leader().filter(DriverProcess::exited).isPresent();
  }

  /** Nothing of the tree is older than its leader; 0 if its age is not known. */
  long notBefore(ProcFiles files) {
    int pid = pinnedPid();
    if (leaderStart == 0 && pid != 0) {
      leaderStart = files.stat(pid).map(ProcEntry::start).orElse(0L);
    }
    return leaderStart;
  }

  void signalGroup() {
    leader().ifPresent(leader -> leader.signalGroup(Posix.SIGKILL));
  }

  void beginPass() {
    survivors.clear();
    refused = 0;
  }

  /**
   * A living member was seen and signalled. Even if it has ended since, it may have forked first:
   * only a pass that sees nothing proves the end.
   */
  void seen(int pid, boolean signalRefused) {
    seenAlive = true;
    survivors.add(pid);
    refused += signalRefused ? 1 : 0;
  }

  /** Whether all that lives takes no signals from us. */
  boolean refused() {
    return refused > 0 && refused == survivors.size();
  }

  Outcome outcome() {
    if (!survivors.isEmpty()) {
      return new Outcome(Outcome.Kind.UNCONFIRMED, survivors);
    }
    Outcome.Kind gone = seenAlive ? Outcome.Kind.CONFIRMED : Outcome.Kind.ALREADY_GONE;
    return new Outcome(gone, List.of());
  }
}
