package io.sandboxspi.local.driver.posix;

import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.NativeLong;

/**
 * POSIX functions of the C library that is in the process, direct-mapped. Pointers, {@code size_t}
 * and {@code ssize_t} are {@code long}. After -1 the error is {@link #errno()}; the spawn functions
 * return theirs.
 */
public final class Posix {
  /** A descriptor has bytes or is at its end; the same bit for poll and epoll. */
  public static final int IN = 0x1;

  /** A descriptor takes bytes. */
  public static final int OUT = 0x4;

  /** The signal that cannot be refused. */
  public static final int SIGKILL = 9;

  static final int EINTR = 4;
  static final int ECHILD = 10;
  static final int O_RDONLY = 0;
  static final int O_RDWR = 2;
  static final int F_OK = 0;
  static final int X_OK = 1;
  static final int WNOHANG = 1;
  static final int CLD_EXITED = 1;

  private static final int F_SETFD = 2;
  private static final int F_SETFL = 4;
  private static final int FD_CLOEXEC = 1;

  static {
    Native.register(Posix.class, NativeLibrary.getProcess());
  }

  private Posix() {}

  /** Functions with a variable argument list, which some machines pass in another way. */
  private interface Variadic extends Library {
    Variadic C = Native.load(null, Variadic.class);

    int fcntl(int fd, int command, Object... argument);

    int ioctl(int fd, NativeLong request, Object... argument);
  }

  /** The calling thread's error of its last call. */
  public static int errno() {
    return Native.getLastError();
  }

  /** Makes a descriptor close-on-exec and calls on it not block. */
  public static void adopt(int fd) {
    setCloseOnExec(fd);
    setNonBlocking(fd);
  }

  static void setNonBlocking(int fd) {
    Variadic.C.fcntl(fd, F_SETFL, Os.O_NONBLOCK);
  }

  static void setCloseOnExec(int fd) {
    Variadic.C.fcntl(fd, F_SETFD, FD_CLOEXEC);
  }

  static int duplicateAbove(int fd, int lowest) {
    int duplicate = Variadic.C.fcntl(fd, 0, lowest);
    setCloseOnExec(duplicate);
    return duplicate;
  }

  static void setWindowSize(int fd, long windowSize) {
    Variadic.C.ioctl(fd, new NativeLong(Os.TIOCSWINSZ), windowSize);
  }

  static native int posix_spawn(
      long pid, long path, long actions, long attributes, long argv, long envp);

  static native int posix_spawnattr_init(long attributes);

  static native int posix_spawnattr_setflags(long attributes, short flags);

  static native int posix_spawnattr_setsigdefault(long attributes, long set);

  static native int posix_spawnattr_setsigmask(long attributes, long set);

  static native int posix_spawn_file_actions_init(long actions);

  static native int posix_spawn_file_actions_destroy(long actions);

  static native int posix_spawn_file_actions_addopen(
      long actions, int fd, long path, int flags, int mode);

  static native int posix_spawn_file_actions_adddup2(long actions, int fd, int to);

  static native int posix_spawn_file_actions_addclose(long actions, int fd);

  static native int posix_spawn_file_actions_addchdir_np(long actions, long path);

  static native int tcgetattr(int fd, long settings);

  static native int tcsetattr(int fd, int when, long settings);

  /** Makes a pipe: its reading and its writing end. */
  public static native int pipe(long fds);

  static native int access(long path, int mode);

  /** Closes. */
  public static native int close(int fd);

  /** Reads. */
  public static native long read(int fd, long buffer, long size);

  static native long write(int fd, long buffer, long size);

  /** Waits for events. */
  public static native int poll(long fds, long count, int timeoutMillis);

  /** Opens; variadic, but without the arguments that vary. */
  private static native int open(long path, int flags);

  /** Opens a file for reading, close-on-exec where the system knows it. */
  public static int openForReading(long path) {
    return open(path, O_RDONLY | Os.O_CLOEXEC);
  }

  /** Variadic, but without the arguments that vary. */
  static native int openat(int directory, long path, int flags);

  static native int utimensat(int directory, long path, long times, int flags);

  static native int waitid(int type, int id, long info, int options);

  /** The process group of a process. */
  public static native int getpgid(int pid);

  /** The session of a process. */
  public static native int getsid(int pid);

  /** Sends a signal. */
  public static native int kill(int pid, int signal);

  static native int pthread_sigmask(int how, long set, long old);

  static native long signal(int signal, long handler);
}
