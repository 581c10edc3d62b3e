package io.sandboxspi.core.output;

import java.util.Objects;
import java.util.OptionalInt;

/**
 * Text after the token limit was applied.
 *
 * @param text the text to show
 * @param originalTokens estimated tokens of the text before it was cut; present only if it was cut
 *     (S-OUT-04)
 */
public record Truncated(String text, OptionalInt originalTokens) {
  /** Checks for null. */
  public Truncated {
    Objects.requireNonNull(text, "text");
    Objects.requireNonNull(originalTokens, "originalTokens");
  }

  /** The result when there is no limit, or the text is within it. */
  public static Truncated whole(String text) {
    return new Truncated(text, OptionalInt.empty());
  }

  /** Sizes only: the text may hold secrets (S-ERR-03). */
  @Override
  public String toString() {
    return "Truncated[characters=" + text.length() + ", originalTokens=" + originalTokens + "]";
  }
}
