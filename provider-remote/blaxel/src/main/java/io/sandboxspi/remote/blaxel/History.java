package io.sandboxspi.remote.blaxel;

import java.util.Optional;

/**
 * The last of a terminal's text, to find in a replay what has not been seen yet. Not thread-safe.
 */
final class History {
  /** The vendor keeps so much. */
  private static final int KEPT = 100 * 1024;

  private static final int TAIL = 256;

  private final StringBuilder text = new StringBuilder();

  /** Takes what was seen. */
  void add(String seen) {
    text.append(seen);
    if (text.length() > 2 * KEPT) {
      text.delete(0, text.length() - KEPT);
    }
  }

  /** What of a replay is new; empty when it does not tell. */
  Optional<String> unseen(String replay) {
    int overlap = overlap(replay);
    if (overlap > 0 || text.isEmpty()) {
      return Optional.of(replay.substring(overlap));
    }
    // A character that was cut looks otherwise when it is whole.
    String tail = text.substring(Math.max(0, text.length() - TAIL));
    int at = replay.lastIndexOf(tail);
    return at < 0 ? Optional.empty() : Optional.of(replay.substring(at + tail.length()));
  }

  /** Length of the longest end of the text that begins the replay. */
  private int overlap(String replay) {
    if (replay.isEmpty()) {
      return 0;
    }
    int[] borders = new int[replay.length()];
    for (int i = 1, length = 0; i < replay.length(); i++) {
      length = extended(replay, borders, length, replay.charAt(i));
      borders[i] = length;
    }
    int length = 0;
    for (int i = 0; i < text.length(); i++) {
      if (length == replay.length()) {
        length = borders[length - 1];
      }
      length = extended(replay, borders, length, text.charAt(i));
    }
    return length;
  }

  private static int extended(String pattern, int[] borders, int length, char next) {
    int now = length;
    while (now > 0 && pattern.charAt(now) != next) {
      now = borders[now - 1];
    }
    return pattern.charAt(now) == next ? now + 1 : now;
  }
}
