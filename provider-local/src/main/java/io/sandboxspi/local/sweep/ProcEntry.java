package io.sandboxspi.local.sweep;

/**
 * A process as the kernel showed it.
 *
 * @param start clock ticks after the boot; with the id it names a process for ever
 */
record ProcEntry(int pid, int parent, int group, int session, char state, int threads, long start) {
  private static final int KERNEL_THREADS = 2;

  /** A leader that is known to live; what is not known of it is 0. */
  static ProcEntry leader(int pid) {
    return new ProcEntry(pid, 0, pid, pid, 'R', 1, 0);
  }

  /** A zombie has nothing left but its status, unless only its first thread has ended. */
  boolean alive() {
    return (state != 'Z' && state != 'X') || threads > 1;
  }

  boolean kernel() {
    return pid == KERNEL_THREADS || parent == KERNEL_THREADS;
  }
}
