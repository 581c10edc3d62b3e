package io.sandboxspi.core.output;

/**
 * What a bounded buffer gave out: the first bytes, how many were dropped behind them, the last
 * bytes. With nothing dropped everything is in the head. The arrays belong to the receiver.
 */
public final class Drained {
  private final byte[] head;
  private final long dropped;
  private final byte[] tail;

  Drained(byte[] head, long dropped, byte[] tail) {
    this.head = head;
    this.dropped = dropped;
    this.tail = tail;
  }

  /** The bytes before the gap, not copied. */
  public byte[] head() {
    return head;
  }

  /** Number of bytes that were dropped between head and tail; 0 if none. */
  public long dropped() {
    return dropped;
  }

  /** The bytes behind the gap, not copied; empty when nothing was dropped. */
  public byte[] tail() {
    return tail;
  }

  /** Whether there is neither a byte nor a gap. */
  public boolean isEmpty() {
    return head.length == 0 && dropped == 0 && tail.length == 0;
  }

  /**
   * The text of this piece with a marker where bytes are missing (S-OUT-03).
   *
   * @param decoder the decoder of the stream this piece belongs to
   * @return decoded head, marker and tail
   */
  public String text(Utf8Stream decoder) {
    String start = decoder.decode(head);
    if (dropped == 0) {
      return start;
    }
    String unfinished = decoder.finish();
    return start + unfinished + marker(dropped) + decoder.decode(tail);
  }

  private static String marker(long dropped) {
    return "\n[… " + dropped + (dropped == 1 ? " byte" : " bytes") + " of output dropped …]\n";
  }
}
