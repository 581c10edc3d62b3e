package io.sandboxspi.core.output;

import java.nio.ByteBuffer;

/**
 * Undelivered output of one stream or terminal, bounded: keeps the first half and the last half and
 * counts what is dropped between them (S-OUT-03). Every byte that is kept is given out exactly once
 * and in order (S-OUT-03), and the gap begins and ends between characters of UTF-8 (S-OUT-03).
 *
 * <p>Memory grows with the content; an idle buffer costs less than 1 KiB (S-OUT-03).
 *
 * <p>Not thread-safe: callers hold their own lock, under which only memory is copied.
 */
public final class HeadTailBuffer {
  /** Capacity unless given: 1 MiB. */
  public static final int DEFAULT_CAPACITY = 1024 * 1024;

  private static final int KEEP_WHEN_IDLE = 512;
  private static final int MAX_CUT = 3;

  private final int headCapacity;
  private final int tailCapacity;
  private final ChunkQueue head = new ChunkQueue(KEEP_WHEN_IDLE);
  private final ChunkQueue tail = new ChunkQueue(0);
  private long overflow;
  private long droppedBefore;

  /** Creates a buffer of {@link #DEFAULT_CAPACITY}. */
  public HeadTailBuffer() {
    this(DEFAULT_CAPACITY);
  }

  /**
   * Creates a buffer.
   *
   * @param capacity most bytes to keep, at least 1
   */
  public HeadTailBuffer(int capacity) {
    if (capacity < 1) {
      throw new IllegalArgumentException("capacity must be at least 1 byte: " + capacity);
    }
    this.headCapacity = capacity / 2;
    this.tailCapacity = capacity - headCapacity;
  }

  /** Appends {@code length} bytes of {@code bytes} from {@code offset}; they are copied. */
  public void append(byte[] bytes, int offset, int length) {
    append(ByteBuffer.wrap(bytes, offset, length));
  }

  /** Appends and consumes the remaining bytes of {@code bytes}; they are copied. */
  public void append(ByteBuffer bytes) {
    // The head takes nothing more once the tail has begun; it never shrinks before that.
    int toHead = (int) Math.min(bytes.remaining(), headCapacity - head.size());
    int limit = bytes.limit();
    head.add(bytes.limit(bytes.position() + toHead));
    bytes.limit(limit);

    int toTail = bytes.remaining();
    long excess = tail.size() + toTail - tailCapacity;
    if (excess > 0) {
      overflow += excess;
      long fromTail = Math.min(excess, tail.size());
      tail.discard(fromTail);
      bytes.position(bytes.position() + (int) (excess - fromTail));
    }
    tail.add(bytes);
  }

  /** Number of bytes the next {@link #drain()} has to give, up to the capacity. */
  public int size() {
    return (int) (head.size() + tail.size()) - headCut() - tailCut();
  }

  /** Whether the next {@link #drain()} has neither bytes nor a gap to give. */
  public boolean isEmpty() {
    return head.size() == 0 && tail.size() == 0;
  }

  /** Number of bytes dropped in the life of this buffer. */
  public long totalDropped() {
    return droppedBefore + dropped();
  }

  /** Gives out everything that was not given out yet and empties the buffer. */
  public Drained drain() {
    Drained result = snapshot();
    droppedBefore += result.dropped();
    overflow = 0;
    head.clear();
    tail.clear();
    return result;
  }

  /** What {@link #drain()} would give; changes nothing. */
  Drained snapshot() {
    if (overflow == 0) {
      return new Drained(toByteArray(), 0, new byte[0]);
    }
    byte[] first = new byte[(int) head.size() - headCut()];
    head.copy(0, first, 0, first.length);
    byte[] last = new byte[(int) tail.size() - tailCut()];
    tail.copy(tailCut(), last, 0, last.length);
    return new Drained(first, dropped(), last);
  }

  /** Head and tail without the gap; changes nothing. */
  byte[] toByteArray() {
    int first = (int) head.size() - headCut();
    int last = (int) tail.size() - tailCut();
    byte[] all = new byte[first + last];
    head.copy(0, all, 0, first);
    tail.copy(tailCut(), all, first, last);
    return all;
  }

  /** Bytes of heap held for content. */
  long allocated() {
    return head.allocated() + tail.allocated();
  }

  private long dropped() {
    return overflow + headCut() + tailCut();
  }

  /** Bytes at the end of the head that begin a character whose rest was dropped. */
  private int headCut() {
    if (overflow == 0) {
      return 0;
    }
    int n = (int) Math.min(MAX_CUT, head.size());
    byte[] last = new byte[n];
    head.copy(head.size() - n, last, 0, n);
    return Utf8.incompleteSuffix(last, 0, n);
  }

  /** Bytes at the start of the tail that continue a character whose start was dropped. */
  private int tailCut() {
    if (overflow == 0) {
      return 0;
    }
    byte[] first = new byte[(int) Math.min(MAX_CUT, tail.size())];
    tail.copy(0, first, 0, first.length);
    int cut = 0;
    while (cut < first.length && Utf8.isContinuation(first[cut])) {
      cut++;
    }
    return cut;
  }
}
