package io.sandboxspi.cli.log;

/** How much the command tells, for the whole process. Thread-safe. */
public final class LogLevel {
  private static volatile boolean debug;
  private static volatile boolean warnings = true;

  private LogLevel() {}

  /** Shows everything, with stack traces. */
  public static void enableDebug() {
    debug = true;
  }

  /** Whether everything is shown. */
  public static boolean debug() {
    return debug;
  }

  /** Shows no warnings, for work that provokes them. */
  public static void hideWarnings() {
    warnings = false;
  }

  /** Whether warnings are shown. */
  public static boolean warnings() {
    return warnings || debug;
  }

  /** The text with control characters replaced, so that it stays one line. */
  public static String oneLine(CharSequence text) {
    StringBuilder clean = new StringBuilder(text.length());
    text.chars().map(c -> Character.isISOControl(c) ? ' ' : c).forEach(c -> clean.append((char) c));
    return clean.toString();
  }
}
