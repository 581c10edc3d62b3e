package io.sandboxspi.local.driver.linux;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;

/**
 * Functions of glibc on Linux that are not POSIX, or that POSIX leaves to the header files,
 * direct-mapped. {@code syscall} is variadic; Linux passes its arguments alike on x86-64 and
 * aarch64.
 */
final class Linux {
  static final int O_RDWR = 2;
  static final int O_NOCTTY = 0x100;
  static final int O_NONBLOCK = 0x800;
  static final int CLOEXEC = 0x80000;

  static final int EPOLL_CTL_ADD = 1;
  static final int EPOLL_CTL_DEL = 2;
  static final int EPOLL_CTL_MOD = 3;

  static final long SYS_PIDFD_OPEN = 434;

  static {
    Native.register(Linux.class, NativeLibrary.getProcess());
  }

  private Linux() {}

  static native int posix_openpt(int flags);

  static native int grantpt(int fd);

  static native int unlockpt(int fd);

  static native int ptsname_r(int fd, long buffer, long size);

  static native int epoll_create1(int flags);

  static native int epoll_ctl(int epoll, int operation, int fd, long event);

  static native int epoll_wait(int epoll, long events, int max, int timeoutMillis);

  static native long syscall(long number, long a, long b, long c, long d);
}
