package io.sandboxspi.local.driver.posix;

/** Numbers of the C library and kernel that are not the same everywhere. 64-bit systems only. */
public final class Os {
  /** Whether this is Linux. */
  public static final boolean LINUX = "Linux".equals(System.getProperty("os.name"));

  /** Whether this is a 64-bit ARM machine. */
  public static final boolean ARM = "aarch64".equals(System.getProperty("os.arch"));

  private static final boolean MAC = System.getProperty("os.name").startsWith("Mac");

  static final int EAGAIN = LINUX ? 11 : 35;
  static final int O_NONBLOCK = LINUX ? 0x800 : 0x4;
  static final int O_CLOEXEC = LINUX ? 0x80000 : 0;
  static final int SIGCHLD = LINUX ? 17 : 20;
  static final long TIOCSWINSZ = LINUX ? 0x5414 : 0x80087467L;

  static final int P_PID = LINUX || MAC ? 1 : 0;
  static final int WEXITED = LINUX || MAC ? 4 : 16;
  static final int WNOWAIT = LINUX ? 0x01000000 : MAC ? 0x20 : 8;
  static final int INFO_PID = LINUX ? 16 : 12;
  static final int INFO_STATUS = LINUX ? 24 : 20;

  static final short SPAWN_SETSID = (short) (MAC ? 0x400 : 0x80);

  /** Closes what is not given to the child, where the system can; else {@link CloseFrom} does. */
  static final short SPAWN_CLOSE_REST = (short) (MAC ? 0x4000 : 0);

  /** Size of a flag word in {@code struct termios}, and of what precedes its characters. */
  static final int TERMIOS_WORD = MAC ? 8 : 4;

  static final int TERMIOS_CHARACTERS = LINUX ? 17 : MAC ? 32 : 16;
  static final int VEOF = LINUX ? 4 : 0;
  static final int ICANON = LINUX ? 0x2 : 0x100;
  static final int IUTF8 = LINUX || MAC ? 0x4000 : 0;

  private Os() {}
}
