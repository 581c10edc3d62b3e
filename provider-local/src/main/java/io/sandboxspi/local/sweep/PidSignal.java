package io.sandboxspi.local.sweep;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import io.sandboxspi.local.driver.posix.Posix;

/** Kills exactly the process that was seen, never one that got its number since. */
final class PidSignal {
  /** What came of it. */
  enum Result {
    SENT,
    GONE,
    REFUSED
  }

  private static final long PIDFD_SEND_SIGNAL = 424;
  private static final long PIDFD_OPEN = 434;
  private static final int ESRCH = 3;

  static {
    Native.register(PidSignal.class, NativeLibrary.getProcess());
  }

  private PidSignal() {}

  static native long syscall(long number, long a, long b, long c, long d);

  /** Kills it. */
  static Result kill(ProcEntry seen, ProcFiles files) {
    int pidfd = (int) syscall(PIDFD_OPEN, seen.pid(), 0, 0, 0);
    int errno = pidfd < 0 ? Posix.errno() : 0;
    if (errno == ESRCH) {
      return Result.GONE;
    }
    try {
      // Looked at again once the number is held, so that it is the same process.
      boolean same = files.stat(seen.pid()).filter(now -> now.start() == seen.start()).isPresent();
      if (!same) {
        return Result.GONE;
      }
      // Without pidfds (before Linux 5.3) a moment remains between the look and the signal.
      boolean sent =
          pidfd >= 0
              ? syscall(PIDFD_SEND_SIGNAL, pidfd, Posix.SIGKILL, 0, 0) == 0
              : Posix.kill(seen.pid(), Posix.SIGKILL) == 0;
      if (sent) {
        return Result.SENT;
      }
      return Posix.errno() == ESRCH ? Result.GONE : Result.REFUSED;
    } finally {
      if (pidfd >= 0) {
        Posix.close(pidfd);
      }
    }
  }
}
