package io.sandboxspi.local.sweep;

import io.sandboxspi.local.driver.DriverProcess;
import io.sandboxspi.local.driver.posix.Posix;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What a sweep knows of one target so far. */
final class Tree {
  final Target target;
  final List<Integer> survivors = new ArrayList<>();
  boolean seenAlive;

  /** Members but the leader that lived when they were last seen. */
  final Map<Integer, ProcEntry> known = new HashMap<>();

  private int refused;
  private int pinned;
  private boolean leaderExited;
  private long leaderStart;

  Tree(Target target) {
    this.target = target;
    this.leaderExited = target.leader().filter(DriverProcess::exited).isPresent();
    this.seenAlive = target.leader().isPresent() && !leaderExited;
  }

  Optional<DriverProcess> leader() {
    return target.leader();
  }

  /** The leader's number if it was certainly the leader's as the pass began; 0 otherwise. */
  int pinned() {
    return pinned;
  }

  /** Since before the start. */
  long ageNanos() {
    return System.nanoTime() - target.startedAt();
  }

  /** Whether the leader has ended; asks the system until it has. */
  boolean leaderExited() {
    leaderExited = leaderExited || leader().filter(DriverProcess::exited).isPresent();
    return leaderExited;
  }

  /** Whether there is no leader whose end can be waited for. */
  boolean leaderGone() {
    return leader().isEmpty() || leaderExited();
  }

  /** When the leader started; 0 if that is not known. Nothing of the tree is older. */
  long startOf(ProcFiles files) {
    if (leaderStart == 0 && pinned != 0) {
      leaderStart = files.stat(pinned).map(ProcEntry::start).orElse(0L);
    }
    return leaderStart;
  }

  void signalGroup() {
    leader().ifPresent(leader -> leader.signalGroup(Posix.SIGKILL));
  }

  void beginPass() {
    survivors.clear();
    refused = 0;
    pinned = leader().filter(DriverProcess::pinned).map(found -> (int) found.pid()).orElse(0);
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
