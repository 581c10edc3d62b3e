package io.sandboxspi.core.output;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/**
 * First-in, first-out bytes in chunks that grow with the content, so that an empty queue costs next
 * to nothing and a full one is never copied to grow. Not thread-safe.
 */
final class ChunkQueue {
  private static final int MIN_CHUNK = 256;
  private static final int MAX_CHUNK = 64 * 1024;
  private static final byte[] NONE = new byte[0];

  private final ArrayDeque<byte[]> chunks = new ArrayDeque<>(2);
  private final int keepWhenEmpty;
  private byte[] spare = NONE;
  private int from;
  private int to;
  private long size;

  /**
   * @param keepWhenEmpty the largest chunk, in bytes, that may stay allocated in an empty queue
   */
  ChunkQueue(int keepWhenEmpty) {
    this.keepWhenEmpty = keepWhenEmpty;
  }

  long size() {
    return size;
  }

  /** Bytes of heap held for content, used or not. */
  long allocated() {
    long sum = spare.length;
    for (byte[] chunk : chunks) {
      sum += chunk.length;
    }
    return sum;
  }

  /** Adds and consumes all remaining bytes of {@code source}. */
  void add(ByteBuffer source) {
    while (source.hasRemaining()) {
      byte[] last = chunks.peekLast();
      if (last == null || to == last.length) {
        last = newChunk(source.remaining());
        if (chunks.isEmpty()) {
          from = 0;
        }
        chunks.addLast(last);
        to = 0;
      }
      int n = Math.min(source.remaining(), last.length - to);
      source.get(last, to, n);
      to += n;
      size += n;
    }
  }

  /** Moves up to {@code length} bytes from the front into {@code target}; returns how many. */
  int remove(byte[] target, int offset, int length) {
    int n = (int) Math.min(length, size);
    copy(0, target, offset, n);
    discard(n);
    return n;
  }

  /** Drops {@code count} bytes from the front; there must be that many. */
  void discard(long count) {
    long left = count;
    while (left > 0) {
      byte[] first = chunks.getFirst();
      int n = (int) Math.min(left, limitOf(first) - from);
      left -= n;
      from += n;
      size -= n;
      if (from == limitOf(first)) {
        recycle(chunks.removeFirst());
        from = 0;
      }
    }
  }

  /** Copies {@code length} bytes that start {@code skip} bytes behind the front; keeps them. */
  void copy(long skip, byte[] target, int offset, int length) {
    long toSkip = skip;
    int start = from;
    int done = 0;
    for (byte[] chunk : chunks) {
      if (done == length) {
        return;
      }
      int available = limitOf(chunk) - start;
      if (toSkip >= available) {
        toSkip -= available;
      } else {
        int n = Math.min(available - (int) toSkip, length - done);
        System.arraycopy(chunk, start + (int) toSkip, target, offset + done, n);
        done += n;
        toSkip = 0;
      }
      start = 0;
    }
  }

  void clear() {
    while (!chunks.isEmpty()) {
      size = 0;
      recycle(chunks.removeFirst());
    }
    from = 0;
    to = 0;
  }

  private int limitOf(byte[] chunk) {
    return chunk == chunks.peekLast() ? to : chunk.length;
  }

  private byte[] newChunk(int wanted) {
    byte[] reused = spare;
    if (reused.length > 0) {
      spare = NONE;
      return reused;
    }
    return new byte[(int) Math.min(MAX_CHUNK, Math.max(MIN_CHUNK, Math.max(size, wanted)))];
  }

  private void recycle(byte[] chunk) {
    if (chunk.length > spare.length) {
      spare = chunk;
    }
    if (size == 0 && spare.length > keepWhenEmpty) {
      spare = NONE;
    }
  }
}
