package io.sandboxspi.local.driver.posix;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.ArrayBlockingQueue;

/** Native memory with its address; freed with the object. */
public final class NativeBuffer {
  /** The memory. */
  public final ByteBuffer bytes;

  /** Where it is. */
  public final long address;

  /** Zeroed memory. */
  public NativeBuffer(int size) {
    bytes = ByteBuffer.allocateDirect(size).order(ByteOrder.nativeOrder());
    address = addressOf(bytes);
  }

  /** The address of a direct buffer's first byte, whatever its position. */
  static long addressOf(ByteBuffer direct) {
    return Pointer.nativeValue(Native.getDirectBufferPointer(direct));
  }

  /** Buffers for short use, kept for the next; larger ones are made each time. */
  public static final class Pool {
    private static final int KEPT = 8;
    private final int size;
    private final ArrayBlockingQueue<NativeBuffer> free = new ArrayBlockingQueue<>(KEPT);

    /** Of buffers of this size. */
    public Pool(int size) {
      this.size = size;
    }

    /** A buffer of at least this size, with any content; larger than the pool's is not kept. */
    public NativeBuffer take(int atLeast) {
      NativeBuffer buffer = atLeast <= size ? free.poll() : null;
      return buffer != null ? buffer : new NativeBuffer(Math.max(size, atLeast));
    }

    /** Takes a buffer back. */
    public void give(NativeBuffer buffer) {
      if (buffer.bytes.capacity() == size) {
        buffer.bytes.clear();
        free.offer(buffer);
      }
    }
  }
}
