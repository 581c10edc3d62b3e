package io.sandboxspi.local.sweep;

import io.sandboxspi.local.driver.DriverProcess;
import io.sandboxspi.local.driver.posix.Posix;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Ends whole trees of processes. A pass over {@code /proc} finds the members of the leader's group
 * and session, processes with the cookie in their environment, and descendants of all these, while
 * descent can still be seen; then every group and every other member gets SIGKILL. A tree is gone
 * when a later pass finds nothing of it.
 *
 * <p>Not found: a process that left session and parents and also dropped its environment. Without
 * {@code /proc} only groups are ended. Thread-safe.
 */
public final class ProcessSweep {
  /** The variable that holds the cookie. */
  public static final String VARIABLE = "SANDBOX_PROCESS";

  private static final long SHORTEST_PAUSE = TimeUnit.MICROSECONDS.toNanos(500);
  private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long LEADER_PAUSE = TimeUnit.MICROSECONDS.toNanos(100);

  /** Passes that a refused signal gets, as its process may end with its parents. */
  private static final int REFUSED_PASSES = 5;

  private ProcessSweep() {}

  /**
   * Ends these trees together; a slow one does not keep the others.
   *
   * @param deadline by {@link System#nanoTime()}; what lives then is {@code UNCONFIRMED}
   * @return an outcome for each cookie
   * @throws InterruptedException when interrupted between two passes; signals have been sent
   */
  public static Map<String, Outcome> killAll(Collection<Target> targets, long deadline)
      throws InterruptedException {
    Map<String, Tree> open = new LinkedHashMap<>();
    for (Target target : targets) {
      open.put(target.cookie(), new Tree(target));
    }
    Map<String, Outcome> outcomes = new HashMap<>();
    if (open.isEmpty()) {
      return outcomes;
    }
    try (Pass pass = ProcFiles.available() ? new ProcPass() : ProcessSweep::groupPass) {
      killAll(open, pass, deadline, outcomes);
    }
    return outcomes;
  }

  private static void killAll(
      Map<String, Tree> open, Pass pass, long deadline, Map<String, Outcome> outcomes)
      throws InterruptedException {
    long pause = SHORTEST_PAUSE;
    for (int number = 1; ; number++) {
      boolean certain = pass.over(new ArrayList<>(open.values()), number);
      boolean last = deadline - System.nanoTime() <= 0;
      int passes = number;
      open.values()
          .removeIf(
              tree -> {
                boolean gone = tree.survivors.isEmpty() && (certain || last);
                boolean given = last || (tree.refused() && passes >= REFUSED_PASSES);
                if (gone || given) {
                  outcomes.put(tree.target.cookie(), tree.outcome());
                }
                return gone || given;
              });
      if (open.isEmpty()) {
        return;
      }
      checkInterrupt();
      if (!awaitLeaders(new ArrayList<>(open.values()), deadline)) {
        pause(Math.min(pause, deadline - System.nanoTime()));
        pause = Math.min(2 * pause, LONGEST_PAUSE);
      }
    }
  }

  /**
   * Leaves the processors to processes that are ending, as long as leaders end one after another.
   *
   * @return whether any has ended meanwhile
   */
  private static boolean awaitLeaders(List<Tree> trees, long deadline) throws InterruptedException {
    Iterator<Tree> living = trees.stream().filter(tree -> !tree.leaderGone()).iterator();
    boolean progress = false;
    while (living.hasNext()) {
      Tree next = living.next();
      long limit = Math.min(deadline, System.nanoTime() + LONGEST_PAUSE);
      while (!next.leaderGone()) {
        if (limit - System.nanoTime() <= 0) {
          return progress;
        }
        pause(LEADER_PAUSE);
      }
      progress = true;
    }
    return progress;
  }

  private static void pause(long nanos) throws InterruptedException {
    LockSupport.parkNanos(Math.max(1, nanos));
    checkInterrupt();
  }

  private static void checkInterrupt() throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException("interrupted while processes were ended");
    }
  }

  /** One look at all trees. */
  interface Pass extends AutoCloseable {
    /**
     * Finds and kills; leaves in each tree what lived.
     *
     * @return whether the look was complete
     */
    boolean over(List<Tree> trees, int number);

    @Override
    default void close() {}
  }

  /** Without {@code /proc}: a group that takes no signal any more is gone. */
  private static boolean groupPass(List<Tree> trees, int number) {
    for (Tree tree : trees) {
      tree.beginPass();
      for (DriverProcess leader : tree.leader().stream().toList()) {
        if (!leader.exited() || leader.signalGroup(Posix.SIGKILL)) {
          tree.survivors.add((int) leader.pid());
        }
      }
    }
    return true;
  }
}
