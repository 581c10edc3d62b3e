package io.sandboxspi;

/**
 * Size of a terminal in character cells.
 *
 * @param columns 1 to 65535
 * @param rows 1 to 65535
 */
public record TerminalSize(int columns, int rows) {
  private static final int MAX = 65_535;

  /** 80 columns, 24 rows: the size of a terminal unless another is asked for (spec S-PTY-03). */
  public static final TerminalSize DEFAULT = new TerminalSize(80, 24);

  /** Checks the ranges. */
  public TerminalSize {
    Checks.range("columns", columns, 1, MAX);
    Checks.range("rows", rows, 1, MAX);
  }
}
