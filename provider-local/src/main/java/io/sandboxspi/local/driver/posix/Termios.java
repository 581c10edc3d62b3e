package io.sandboxspi.local.driver.posix;

import java.nio.ByteBuffer;

/** Settings of a terminal, reached through its master. */
public final class Termios {
  static final byte EOT = 4;

  private static final int SIZE = 256;
  private static final NativeBuffer.Pool BUFFERS = new NativeBuffer.Pool(SIZE);
  private static final int LOCAL_FLAGS = 3 * Os.TERMIOS_WORD;

  private Termios() {}

  /** Sets the size and, so that line mode erases whole characters, the encoding. */
  public static void prepare(int master, int columns, int rows) {
    setSize(master, columns, rows);
    NativeBuffer settings = BUFFERS.take(SIZE);
    if (Posix.tcgetattr(master, settings.address) == 0) {
      settings.bytes.putInt(0, settings.bytes.getInt(0) | Os.IUTF8);
      Posix.tcsetattr(master, 0, settings.address);
    }
    BUFFERS.give(settings);
  }

  static void setSize(int master, int columns, int rows) {
    NativeBuffer size = BUFFERS.take(SIZE);
    size.bytes.putShort(0, (short) rows).putShort(2, (short) columns).putInt(4, 0);
    Posix.setWindowSize(master, size.address);
    BUFFERS.give(size);
  }

  /** The bytes that end the input as the terminal is set now. */
  static ByteBuffer endOfInput(Fd fd, boolean midLine) {
    byte end = EOT;
    boolean lines = false;
    NativeBuffer settings = BUFFERS.take(SIZE);
    if (fd.enter()) {
      if (Posix.tcgetattr(fd.number, settings.address) == 0) {
        lines = (settings.bytes.getInt(LOCAL_FLAGS) & Os.ICANON) != 0;
        byte set = settings.bytes.get(Os.TERMIOS_CHARACTERS + Os.VEOF);
        end = lines && set != 0 ? set : EOT;
      }
      fd.leave();
    }
    BUFFERS.give(settings);
    // In the middle of a line the first one only hands the line over.
    return ByteBuffer.wrap(lines && midLine ? new byte[] {end, end} : new byte[] {end});
  }
}
