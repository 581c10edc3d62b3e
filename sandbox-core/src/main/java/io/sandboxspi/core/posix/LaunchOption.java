package io.sandboxspi.core.posix;

/** What {@link PosixLauncher} does beside starting the program. */
public enum LaunchOption {
  /**
   * A mark comes on standard output before anything of the program: {@link LaunchMarks} reads and
   * removes it. So a provider knows whether the program runs without asking.
   */
  ANNOUNCE,
  /**
   * A shell leads the session, waits, and keeps how the program ended for {@link PosixStatus}. It
   * tells a signal from an exit code above 128, except that codes 130 and 141 count as signals, and
   * under bash 143. Costs one fork. Without it the program has the shell's place.
   */
  SUPERVISE,
  /** The terminal gets its size from the launcher; for a vendor that cannot set it in time. */
  TERMINAL_SIZE,
  /**
   * The backend hands {@link PosixLauncher#environment} to the shell; otherwise the launcher
   * exports the variables. A kill then finds the launch from its first instruction on.
   */
  NATIVE_ENVIRONMENT
}
