package io.sandboxspi.local.driver.posix;

/**
 * The started process: its number, its end, signals to its group. An ended process stays unreaped
 * until it is released: so long its number is taken, and a signal cannot reach a stranger.
 */
final class Leader {
  private static final int INFO_CODE = 8;
  private static final NativeBuffer.Pool INFOS = new NativeBuffer.Pool(128);

  final int pid;
  private End end = End.NOT_YET;
  private boolean ended;
  private boolean released;
  private boolean reaped;

  Leader(int pid) {
    this.pid = pid;
  }

  /** How it ended. */
  record End(boolean known, int code, int signal) {
    static final End NOT_YET = new End(false, -1, 0);
    static final End UNKNOWN = new End(false, 0, 0);
  }

  /** Looks whether it has ended; reaps it then if it was released before. */
  synchronized End collect() {
    if (!reaped && (released || end == End.NOT_YET)) {
      NativeBuffer info = INFOS.take(0);
      try {
        end = look(info);
      } finally {
        INFOS.give(info);
      }
    }
    return end;
  }

  private End look(NativeBuffer info) {
    int keep = released ? 0 : Os.WNOWAIT;
    int options = Os.WEXITED | Posix.WNOHANG | keep;
    info.bytes.putInt(Os.INFO_PID, 0);
    if (Posix.waitid(Os.P_PID, pid, info.address, options) != 0) {
      // Nobody else should wait for our children; if somebody did, the number is no longer ours.
      boolean lost = Posix.errno() == Posix.ECHILD;
      ended |= lost;
      reaped |= lost;
      return lost && end == End.NOT_YET ? End.UNKNOWN : end;
    }
    if (info.bytes.getInt(Os.INFO_PID) == 0) {
      return end;
    }
    ended = true;
    reaped = released;
    int status = info.bytes.getInt(Os.INFO_STATUS);
    boolean exited = info.bytes.getInt(INFO_CODE) == Posix.CLD_EXITED;
    return exited ? new End(true, status, 0) : new End(true, 0, status);
  }

  /** Asks the system, so that nobody has to wait until the reactor tells it. */
  synchronized boolean ended() {
    if (!ended) {
      collect();
    }
    return ended;
  }

  synchronized boolean pinned() {
    return !reaped;
  }

  /** Under the lock that reaping takes, so the number is ours during the call. */
  synchronized boolean signalGroup(int signal) {
    return !reaped && Posix.kill(-pid, signal) == 0;
  }

  /** Blocks until it has ended. Unlocked: only the one that calls this lets others learn of it. */
  void awaitEnd() {
    int result;
    do {
      result = Posix.waitid(Os.P_PID, pid, 0, Os.WEXITED | Os.WNOWAIT);
    } while (result != 0 && Posix.errno() == Posix.EINTR);
  }

  /** Ends its group; waits, which is short after that. */
  synchronized void killAndWait() {
    if (!reaped) {
      Posix.kill(-pid, Posix.SIGKILL);
      Posix.kill(pid, Posix.SIGKILL);
      Posix.waitid(Os.P_PID, pid, 0, Os.WEXITED | Os.WNOWAIT);
      ended = true;
    }
  }

  /** Lets it be reaped: now if it has ended, else when it does. Returns whether it is reaped. */
  synchronized boolean release() {
    released = true;
    if (ended && !reaped) {
      collect();
    }
    return reaped;
  }
}
