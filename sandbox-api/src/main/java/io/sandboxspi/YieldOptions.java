package io.sandboxspi;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * How long a PTY call collects output and how much of it returns. Immutable: each method returns a
 * changed copy.
 */
public final class YieldOptions {
  private static final YieldOptions START = new YieldOptions(Duration.ofSeconds(10), null, -1);
  private static final YieldOptions WRITE = new YieldOptions(Duration.ofMillis(250), null, -1);
  private static final YieldOptions POLL = new YieldOptions(Duration.ofSeconds(5), null, -1);

  private final Duration window;
  private final @Nullable Duration quietAfter;
  private final int maxTokens;

  private YieldOptions(Duration window, @Nullable Duration quietAfter, int maxTokens) {
    if (window.isNegative()) {
      throw SandboxException.invalid("window", window, "a duration of zero or more");
    }
    if (quietAfter != null) {
      Checks.positive("quietAfter", quietAfter);
    }
    this.window = window;
    this.quietAfter = quietAfter;
    this.maxTokens = maxTokens;
  }

  /** 10 s: the default of a start. */
  public static YieldOptions forStart() {
    return START;
  }

  /** 250 ms: the default of a write. */
  public static YieldOptions forWrite() {
    return WRITE;
  }

  /** 5 s: the default of a poll. */
  public static YieldOptions forPoll() {
    return POLL;
  }

  /**
   * Longest time to collect; the engine clamps it to 250 ms .. 30 s, and to at least 5 s for a poll
   * (spec S-PTY-05).
   */
  public YieldOptions window(Duration value) {
    return new YieldOptions(value, quietAfter, maxTokens);
  }

  /** Returns as soon as output has come and then nothing more for this time (spec S-PTY-06). */
  public YieldOptions quietAfter(Duration value) {
    return new YieldOptions(window, value, maxTokens);
  }

  /** Truncates the text to about this many tokens of 4 bytes; negative counts as 0. */
  public YieldOptions maxTokens(int value) {
    return new YieldOptions(window, quietAfter, Math.max(0, value));
  }

  /** Longest time to collect, before clamping. */
  public Duration window() {
    return window;
  }

  /** Early return on silence; empty for none. */
  public Optional<Duration> quietAfter() {
    return Optional.ofNullable(quietAfter);
  }

  /** Token budget; empty for no truncation. */
  public OptionalInt maxTokens() {
    return maxTokens < 0 ? OptionalInt.empty() : OptionalInt.of(maxTokens);
  }

  @Override
  public String toString() {
    return "YieldOptions[window="
        + window
        + ", quietAfter="
        + quietAfter
        + ", tokens="
        + maxTokens()
        + "]";
  }
}
