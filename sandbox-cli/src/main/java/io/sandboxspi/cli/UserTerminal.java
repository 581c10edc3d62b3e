package io.sandboxspi.cli;

import com.sun.jna.NativeLong;
import io.sandboxspi.TerminalSize;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jline.utils.Signals;

/** The terminal that the user sits at: raw mode and window. Only for descriptors that are one. */
final class UserTerminal {
  private static final int WINDOW_SHORTS = 4;

  private UserTerminal() {}

  /** Undoes raw mode; idempotent, thread-safe. */
  @FunctionalInterface
  interface Raw extends AutoCloseable {
    @Override
    void close();
  }

  /**
   * Hands every key to the reader unchanged, Ctrl-C as well.
   *
   * @return gives back the exact modes of before
   */
  static Raw raw() {
    byte[] before = new byte[TerminalLibrary.TERMIOS_BYTES];
    if (TerminalLibrary.C.tcgetattr(StandardStreams.IN, before) != 0) {
      throw CliFailure.sandbox("cannot read the modes of the terminal", null);
    }
    AtomicBoolean restored = new AtomicBoolean();
    byte[] raw = before.clone();
    TerminalLibrary.C.cfmakeraw(raw);
    if (TerminalLibrary.C.tcsetattr(StandardStreams.IN, TerminalLibrary.TCSANOW, raw) != 0) {
      throw CliFailure.sandbox("cannot set the terminal to raw mode", null);
    }
    return () -> {
      if (restored.compareAndSet(false, true)) {
        TerminalLibrary.C.tcsetattr(StandardStreams.IN, TerminalLibrary.TCSANOW, before);
      }
    };
  }

  /** The window's size; empty when the terminal does not know it. */
  static Optional<TerminalSize> size(int descriptor) {
    short[] window = new short[WINDOW_SHORTS];
    int failed =
        TerminalLibrary.C.ioctl(
            descriptor, new NativeLong(TerminalLibrary.TIOCGWINSZ), (Object) window);
    int rows = Short.toUnsignedInt(window[0]);
    int columns = Short.toUnsignedInt(window[1]);
    return failed != 0 || rows == 0 || columns == 0
        ? Optional.empty()
        : Optional.of(new TerminalSize(columns, rows));
  }

  /** Calls the action, on another thread, each time the window has changed. */
  static void onWindowChange(Runnable action) {
    Signals.register("WINCH", action);
  }
}
