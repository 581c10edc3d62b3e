package io.sandboxspi.local.driver.posix;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import java.time.Instant;

/**
 * What Linux knows of an entry, in one call.
 *
 * @param mode kind and permissions
 * @param device of the file system, and {@code inode} in it: the same for all names of one file
 * @param names how many names it has
 */
public record FileStatus(
    int mode, long size, Instant modified, long device, long inode, int names) {
  private static final int MASK = 0x7ff;
  private static final int SIZE = 256;
  private static final int NAMES = 16;
  private static final int MODE = 28;
  private static final int INODE = 32;
  private static final int LENGTH = 40;
  private static final int SECONDS = 112;
  private static final int NANOS = 120;
  private static final int DEVICE = 136;
  private static final NativeBuffer.Pool BUFFERS = new NativeBuffer.Pool(SIZE);

  /** The function, where the C library has it. */
  private static final class Call {
    static final boolean AVAILABLE = register();

    private Call() {}

    private static boolean register() {
      try {
        Native.register(Call.class, NativeLibrary.getProcess());
        return Os.LINUX;
      } catch (LinkageError missing) {
        return false;
      }
    }

    static native int statx(int directory, long path, int flags, int mask, long status);
  }

  /** Whether the system has the call. */
  static boolean available() {
    return Call.AVAILABLE;
  }

  /** Null-terminated path; the error is in {@link Posix#errno()} when there is none. */
  static Result of(int directory, long path, int flags) {
    NativeBuffer buffer = BUFFERS.take(SIZE);
    try {
      if (Call.statx(directory, path, flags, MASK, buffer.address) < 0) {
        return new Result(Posix.errno(), new FileStatus(0, 0, Instant.EPOCH, 0, 0, 0));
      }
      return new Result(0, read(buffer));
    } finally {
      BUFFERS.give(buffer);
    }
  }

  /** An error number, or 0 and a status. */
  record Result(int errno, FileStatus status) {}

  private static FileStatus read(NativeBuffer buffer) {
    return new FileStatus(
        buffer.bytes.getShort(MODE) & 0xffff,
        buffer.bytes.getLong(LENGTH),
        Instant.ofEpochSecond(buffer.bytes.getLong(SECONDS), buffer.bytes.getInt(NANOS)),
        buffer.bytes.getLong(DEVICE),
        buffer.bytes.getLong(INODE),
        buffer.bytes.getInt(NAMES));
  }
}
