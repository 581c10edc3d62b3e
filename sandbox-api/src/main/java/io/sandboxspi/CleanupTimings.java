package io.sandboxspi;

import java.time.Duration;

/**
 * Bounds of cleanup (spec S-CLEAN-05). They hold per entry and per step; a batch takes the longest
 * entry, not the sum.
 *
 * @param kill for the proof that a process has ended, 5 s
 * @param join for local resources to go, 1 s
 * @param finalDrain for output after an exit while a descendant holds it open, 1 s
 * @param release for the backend's release and deletion, each, 60 s
 */
public record CleanupTimings(Duration kill, Duration join, Duration finalDrain, Duration release) {
  /** The values named above. */
  public static final CleanupTimings DEFAULT =
      new CleanupTimings(
          Duration.ofSeconds(5),
          Duration.ofSeconds(1),
          Duration.ofSeconds(1),
          Duration.ofSeconds(60));

  /** Checks that each is above zero. */
  public CleanupTimings {
    Checks.positive("kill", kill);
    Checks.positive("join", join);
    Checks.positive("finalDrain", finalDrain);
    Checks.positive("release", release);
  }
}
