package io.sandboxspi.core.pty;

import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.TerminationOutcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Kills and releases as a test says. Stalls last until {@link #releaseAll()}. */
final class ScriptedOperations implements CleanupOperations<String> {
  private final CountDownLatch lifted = new CountDownLatch(1);
  private final Map<String, Step> kills = new ConcurrentHashMap<>();
  private final Map<String, Step> releases = new ConcurrentHashMap<>();
  private final List<String> killed = new CopyOnWriteArrayList<>();
  private final List<String> released = new CopyOnWriteArrayList<>();
  private final List<String> releaseCalls = new CopyOnWriteArrayList<>();
  private final List<String> closed = new CopyOnWriteArrayList<>();
  private final List<String> retained = new CopyOnWriteArrayList<>();
  private final List<List<String>> batches = new CopyOnWriteArrayList<>();
  private volatile List<String> together = List.of();
  private final CountDownLatch gaveUp = new CountDownLatch(1);
  private final CountDownLatch unstuck = new CountDownLatch(1);
  private volatile @Nullable CountDownLatch batchStall;
  private volatile boolean batchGivesUp;
  private volatile @Nullable Error tellingFails;
  private volatile @Nullable Thread stuckThread;

  /** What happens at a call. */
  private interface Step {
    void run() throws InterruptedException;
  }

  void fail(String entry, RuntimeException failure) {
    kills.put(
        entry,
        () -> {
          throw failure;
        });
  }

  /** Fails once the other failures have been thrown; the answer tells that this one was. */
  CountDownLatch failAfter(String entry, Throwable failure, CountDownLatch... others) {
    CountDownLatch thrown = new CountDownLatch(1);
    kills.put(
        entry,
        () -> {
          for (CountDownLatch other : others) {
            Within.await(other);
          }
          thrown.countDown();
          if (failure instanceof Error e) {
            throw e;
          }
          throw (RuntimeException) failure;
        });
    return thrown;
  }

  void heal(String entry) {
    kills.remove(entry);
  }

  /** Stalls until released or interrupted. */
  CountDownLatch stall(String entry) {
    CountDownLatch entered = new CountDownLatch(1);
    kills.put(
        entry,
        () -> {
          entered.countDown();
          lifted.await();
        });
    return entered;
  }

  /** Stalls until released, whatever interrupts it. */
  CountDownLatch stallStuck(String entry) {
    CountDownLatch entered = new CountDownLatch(1);
    kills.put(entry, () -> stuck(entered));
    return entered;
  }

  CountDownLatch stallThenFail(String entry, RuntimeException failure) {
    CountDownLatch entered = new CountDownLatch(1);
    kills.put(
        entry,
        () -> {
          stuck(entered);
          throw failure;
        });
    return entered;
  }

  CountDownLatch stallRelease(String entry) {
    CountDownLatch entered = new CountDownLatch(1);
    releases.put(entry, () -> stuck(entered));
    return entered;
  }

  void failRelease(String entry, RuntimeException failure) {
    releases.put(
        entry,
        () -> {
          throw failure;
        });
  }

  void batch(List<String> entries) {
    together = entries;
  }

  CountDownLatch stallBatch() {
    CountDownLatch entered = new CountDownLatch(1);
    batchStall = entered;
    return entered;
  }

  /** The batch stalls; interrupted it answers that it proved nothing. */
  CountDownLatch stallBatchThenGiveUp() {
    batchGivesUp = true;
    return stallBatch();
  }

  CountDownLatch gaveUp() {
    return gaveUp;
  }

  void tellingFails(Error failure) {
    tellingFails = failure;
  }

  /** Waits until a stuck call has answered and its thread is idle again. */
  void awaitUnstuck() throws InterruptedException {
    Within.await(unstuck);
    Thread thread = stuckThread;
    Within.until(() -> thread == null || thread.getState() == Thread.State.TIMED_WAITING);
  }

  private void stuck(CountDownLatch entered) {
    stuckThread = Thread.currentThread();
    entered.countDown();
    while (true) {
      try {
        if (lifted.await(1, TimeUnit.MINUTES)) {
          unstuck.countDown();
          return;
        }
      } catch (InterruptedException e) {
        continue; // that is what stuck means
      }
    }
  }

  void releaseAll() {
    lifted.countDown();
  }

  @Override
  public TerminationOutcome kill(String entry, Deadline deadline) throws InterruptedException {
    killed.add(entry);
    Step step = kills.get(entry);
    if (step != null) {
      step.run();
    }
    return TerminationOutcome.confirmed();
  }

  @Override
  public Map<String, TerminationOutcome> killAll(List<String> entries, Deadline deadline)
      throws InterruptedException {
    batches.add(new ArrayList<>(entries));
    CountDownLatch stall = batchStall;
    if (stall != null) {
      stall.countDown();
      try {
        lifted.await();
      } catch (InterruptedException e) {
        if (!batchGivesUp) {
          throw e;
        }
        gaveUp.countDown();
        Map<String, TerminationOutcome> nothing = new HashMap<>();
        entries.forEach(entry -> nothing.put(entry, TerminationOutcome.unconfirmed(e)));
        return nothing;
      }
    }
    Map<String, TerminationOutcome> outcomes = new HashMap<>();
    together.forEach(entry -> outcomes.put(entry, TerminationOutcome.confirmed()));
    return outcomes;
  }

  @Override
  public void release(String entry) {
    releaseCalls.add(entry);
    Step step = releases.get(entry);
    if (step != null) {
      try {
        step.run();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
    released.add(entry);
  }

  @Override
  public void closed(String entry) {
    closed.add(entry);
    failTelling();
  }

  @Override
  public void retained(String entry, Throwable cause) {
    retained.add(entry);
    failTelling();
  }

  private void failTelling() {
    Error failure = tellingFails;
    if (failure != null) {
      throw failure;
    }
  }

  List<String> killed() {
    return killed;
  }

  List<String> released() {
    return released;
  }

  List<String> closed() {
    return closed;
  }

  List<String> retained() {
    return retained;
  }

  List<List<String>> batches() {
    return batches;
  }

  long kills(String entry) {
    return killed.stream().filter(entry::equals).count();
  }

  long releases(String entry) {
    return releaseCalls.stream().filter(entry::equals).count();
  }
}
