package io.sandboxspi.local.driver;

/**
 * Size of a terminal in cells.
 *
 * @param columns 1 to 65535
 * @param rows 1 to 65535
 */
public record WindowSize(int columns, int rows) {
  private static final int MAX = 65_535;

  /** Checks the ranges. */
  public WindowSize {
    if (columns < 1 || columns > MAX || rows < 1 || rows > MAX) {
      throw new IllegalArgumentException(
          "terminal size is " + columns + "x" + rows + "; allowed: 1 to " + MAX);
    }
  }
}
