package io.sandboxspi.remote.cloudflare;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Finds, in what the server has kept of a terminal's output, the place up to which it was received
 * before a connection broke. Not thread-safe.
 */
final class Replay {
  /** What the server keeps. */
  static final int RING = 256 * 1024;

  /** More than what comes between two acknowledgements of a relay. */
  private static final int TAIL = 96 * 1024;

  private final byte[] ring = new byte[TAIL];
  private long total;

  /**
   * Where to go on.
   *
   * @param from the first byte that is new
   * @param gap whether bytes before it may be missing
   */
  record Place(int from, boolean gap) {}

  /** These bytes were received. */
  void count(ByteBuffer bytes) {
    ByteBuffer copy = bytes.duplicate();
    if (copy.remaining() > TAIL) {
      total += copy.remaining() - TAIL;
      copy.position(copy.limit() - TAIL);
    }
    while (copy.hasRemaining()) {
      int at = (int) (total % TAIL);
      int size = Math.min(TAIL - at, copy.remaining());
      copy.get(ring, at, size);
      total += size;
    }
  }

  /** How many bytes were received. */
  long total() {
    return total;
  }

  private byte[] tail() {
    int size = (int) Math.min(total, TAIL);
    byte[] tail = new byte[size];
    for (int i = 0; i < size; i++) {
      tail[i] = ring[(int) ((total - size + i) % TAIL)];
    }
    return tail;
  }

  /** Looks for the place. */
  Place find(byte[] kept) {
    byte[] tail = tail();
    if (kept.length < RING
        && total <= kept.length
        && Arrays.equals(tail, 0, tail.length, kept, (int) total - tail.length, (int) total)) {
      // Nothing was dropped yet: it is known by its number.
      return new Place((int) total, false);
    }
    int last = -1;
    int found = 0;
    int[] failure = failures(tail);
    int matched = 0;
    for (int i = 0; i < kept.length && tail.length > 0; i++) {
      while (matched > 0 && (matched == tail.length || tail[matched] != kept[i])) {
        matched = failure[matched - 1];
      }
      if (tail[matched] == kept[i]) {
        matched++;
      }
      if (matched == tail.length) {
        last = i + 1;
        found++;
      }
    }
    return new Place(Math.max(last, 0), found != 1);
  }

  private static int[] failures(byte[] pattern) {
    int[] failure = new int[pattern.length];
    int matched = 0;
    for (int i = 1; i < pattern.length; i++) {
      while (matched > 0 && pattern[matched] != pattern[i]) {
        matched = failure[matched - 1];
      }
      if (pattern[matched] == pattern[i]) {
        matched++;
      }
      failure[i] = matched;
    }
    return failure;
  }
}
