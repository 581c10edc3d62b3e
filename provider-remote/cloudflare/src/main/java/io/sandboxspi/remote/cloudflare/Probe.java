package io.sandboxspi.remote.cloudflare;

import io.sandboxspi.Registration;
import io.sandboxspi.core.time.EngineClock;
import io.sandboxspi.core.time.Lane;
import java.time.Duration;

/** Asks whether a terminal lives: seldom, and often when it is about to end. Thread-safe. */
final class Probe {
  private static final Duration SELDOM = Duration.ofSeconds(5);
  private static final Duration SOON = Duration.ofMillis(10);

  private final Runnable question;
  private final Lane lane;
  private Duration pause = SELDOM;
  private Registration next = () -> {};
  private boolean started;
  private boolean stopped;

  /**
   * Asks nothing yet.
   *
   * @param question run on the lane; answered elsewhere, if at all
   */
  Probe(Runnable question, Lane lane) {
    this.question = question;
    this.lane = lane;
  }

  /** Begins to ask; does nothing when it has begun. */
  synchronized void start() {
    if (!started) {
      started = true;
      arm();
    }
  }

  private synchronized void arm() {
    if (!stopped) {
      next = EngineClock.system().schedule(pause, () -> lane.execute(this::ask));
    }
  }

  private void ask() {
    synchronized (this) {
      if (stopped) {
        return;
      }
      Duration twice = pause.multipliedBy(2);
      pause = twice.compareTo(SELDOM) < 0 ? twice : SELDOM;
    }
    question.run();
    arm();
  }

  /** Its end is near. */
  synchronized void soon() {
    pause = SOON;
    next.close();
    started = true;
    arm();
  }

  synchronized void stop() {
    stopped = true;
    next.close();
  }
}
