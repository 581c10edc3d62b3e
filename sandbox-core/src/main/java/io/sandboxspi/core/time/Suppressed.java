package io.sandboxspi.core.time;

import java.util.Arrays;

/** Attaches failures to one another: never a failure to itself, never twice. */
public final class Suppressed {
  private Suppressed() {}

  /** Suppresses {@code other} under {@code main}; callers that share both may all do so. */
  public static void add(Throwable main, Throwable other) {
    synchronized (main) {
      if (main != other && !Arrays.asList(main.getSuppressed()).contains(other)) {
        main.addSuppressed(other);
      }
    }
  }
}
