package io.sandboxspi.local.driver.posix;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Instant;

/** A directory held open; its entries have paths that go through the descriptor. Linux only. */
public final class OpenDirectory implements AutoCloseable {
  /** Whether the system has such paths. */
  public static final boolean SUPPORTED = Os.LINUX;

  private static final int O_DIRECTORY = Os.ARM ? 0x4000 : 0x10000;
  private static final int O_NOFOLLOW = Os.ARM ? 0x8000 : 0x20000;
  private static final int O_PATH = 0x200000;
  private static final int AT_FDCWD = -100;
  private static final int ENOENT = 2;
  private static final int EACCES = 13;
  private static final int ENOTDIR = 20;
  private static final int ELOOP = 40;
  private static final int AT_SYMLINK_NOFOLLOW = 0x100;
  private static final int AT_EMPTY_PATH = 0x1000;
  private static final long UTIME_OMIT = (1L << 30) - 2;
  private static final int TIMES_SIZE = 32;
  private static final NativeBuffer.Pool NAMES = new NativeBuffer.Pool(4096);
  private static final NativeBuffer.Pool TIMES = new NativeBuffer.Pool(TIMES_SIZE);

  private final Fd fd;

  private OpenDirectory(int fd) {
    this.fd = new Fd(fd, Posix::close);
  }

  /** Opens a directory by its path; links on the way are followed, it is none itself. */
  public static OpenDirectory open(String path) throws IOException {
    return open(AT_FDCWD, path);
  }

  /** Opens an entry that is a directory and no link. */
  public OpenDirectory child(String name) throws IOException {
    return open(fd.number, name);
  }

  /** Whether {@link #status} and {@link #file} work. */
  public static boolean knowsStatus() {
    return FileStatus.available();
  }

  /** What is known of an entry, a link itself. */
  public FileStatus status(String entry) throws IOException {
    NativeBuffer name = name(entry);
    FileStatus.Result result;
    try {
      result = FileStatus.of(fd.number, name.address, AT_SYMLINK_NOFOLLOW);
    } finally {
      NAMES.give(name);
    }
    check(result.errno(), entry);
    return result.status();
  }

  /** Opens an entry that is no link for reading; a pipe does not block. */
  public OpenFile file(String entry) throws IOException {
    int opened = openAt(fd.number, entry, O_NOFOLLOW | Os.O_NONBLOCK | Os.O_CLOEXEC);
    boolean done = false;
    try {
      NativeBuffer nothing = name("");
      FileStatus.Result result = FileStatus.of(opened, nothing.address, AT_EMPTY_PATH);
      NAMES.give(nothing);
      check(result.errno(), entry);
      done = true;
      return new OpenFile(opened, result.status());
    } finally {
      if (!done) {
        Posix.close(opened);
      }
    }
  }

  /** Holds an entry of any kind, a link itself; never blocks. */
  public OpenEntry entry(String name) throws IOException {
    return new OpenEntry(openAt(fd.number, name, O_PATH | O_NOFOLLOW | Os.O_CLOEXEC));
  }

  /** Sets the time of the last change of an entry, a link itself. */
  public void setModified(String entry, Instant modified) throws IOException {
    NativeBuffer name = name(entry);
    NativeBuffer times = TIMES.take(TIMES_SIZE);
    times
        .bytes
        .putLong(0, 0)
        .putLong(8, UTIME_OMIT)
        .putLong(16, modified.getEpochSecond())
        .putLong(24, modified.getNano());
    int result = Posix.utimensat(fd.number, name.address, times.address, AT_SYMLINK_NOFOLLOW);
    int errno = result < 0 ? Posix.errno() : 0;
    NAMES.give(name);
    TIMES.give(times);
    check(errno, entry);
  }

  private static NativeBuffer name(String path) {
    byte[] bytes = path.getBytes(StandardCharsets.UTF_8);
    NativeBuffer name = NAMES.take(bytes.length + 1);
    name.bytes.put(0, bytes).put(bytes.length, (byte) 0);
    return name;
  }

  private static OpenDirectory open(int at, String path) throws IOException {
    int flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | Os.O_CLOEXEC;
    return new OpenDirectory(openAt(at, path, flags));
  }

  private static int openAt(int at, String path, int flags) throws IOException {
    NativeBuffer name = name(path);
    int opened = Posix.openat(at, name.address, flags);
    int errno = opened < 0 ? Posix.errno() : 0;
    NAMES.give(name);
    check(errno, path);
    return opened;
  }

  private static void check(int errno, String path) throws IOException {
    switch (errno) {
      case 0 -> {}
      case ENOENT -> throw new NoSuchFileException(path);
      case ENOTDIR, ELOOP -> throw new NotDirectoryException(path);
      case EACCES -> throw new AccessDeniedException(path);
      default -> throw new FileNotFoundException(path + " (errno " + errno + ")");
    }
  }

  /** Its path through the descriptor, good until it is closed. */
  public Path path() {
    return Path.of("/proc/self/fd", Integer.toString(fd.number));
  }

  @Override
  public void close() {
    fd.close();
  }
}
