package io.sandboxspi.cli;

import io.sandboxspi.TerminalSize;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jline.nativ.CLibrary;
import org.jline.terminal.Attributes;
import org.jline.terminal.Attributes.ControlChar;
import org.jline.terminal.Attributes.ControlFlag;
import org.jline.terminal.Attributes.InputFlag;
import org.jline.terminal.Attributes.LocalFlag;
import org.jline.terminal.Attributes.OutputFlag;
import org.jline.terminal.impl.TermiosData;
import org.jline.terminal.impl.TermiosMapping;
import org.jline.utils.Signals;

/** The terminal that the user sits at: raw mode and window. Only for descriptors that are one. */
final class UserTerminal {
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
    CLibrary.Termios before = new CLibrary.Termios();
    if (CLibrary.tcgetattr(StandardStreams.IN, before) != 0) {
      throw CliFailure.sandbox("cannot read the modes of the terminal", null);
    }
    AtomicBoolean restored = new AtomicBoolean();
    Raw restore =
        () -> {
          if (restored.compareAndSet(false, true)) {
            CLibrary.tcsetattr(StandardStreams.IN, CLibrary.TCSANOW, before);
          }
        };
    if (CLibrary.tcsetattr(StandardStreams.IN, CLibrary.TCSANOW, rawCopy(before)) != 0) {
      throw CliFailure.sandbox("cannot set the terminal to raw mode", null);
    }
    return restore;
  }

  /** The window's size; empty when the terminal does not know it. */
  static Optional<TerminalSize> size(int descriptor) {
    CLibrary.WinSize window = new CLibrary.WinSize();
    int failed = CLibrary.ioctl(descriptor, CLibrary.TIOCGWINSZ, window);
    int rows = Short.toUnsignedInt(window.ws_row);
    int columns = Short.toUnsignedInt(window.ws_col);
    return failed != 0 || rows == 0 || columns == 0
        ? Optional.empty()
        : Optional.of(new TerminalSize(columns, rows));
  }

  /** Calls the action, on another thread, each time the window has changed. */
  static void onWindowChange(Runnable action) {
    Signals.register("WINCH", action);
  }

  private static CLibrary.Termios rawCopy(CLibrary.Termios before) {
    TermiosMapping mapping = TermiosMapping.forCurrentPlatform();
    TermiosData base = new TermiosData();
    base.iflag(before.c_iflag);
    base.oflag(before.c_oflag);
    base.cflag(before.c_cflag);
    base.lflag(before.c_lflag);
    base.ispeed(before.c_ispeed);
    base.ospeed(before.c_ospeed);
    System.arraycopy(before.c_cc, 0, base.cc(), 0, Math.min(before.c_cc.length, base.cc().length));
    Attributes modes = mapping.toAttributes(base);
    makeRaw(modes);
    TermiosData changed = mapping.toTermios(modes, base);
    CLibrary.Termios raw = new CLibrary.Termios();
    raw.c_iflag = changed.iflag();
    raw.c_oflag = changed.oflag();
    raw.c_cflag = changed.cflag();
    raw.c_lflag = changed.lflag();
    raw.c_ispeed = before.c_ispeed;
    raw.c_ospeed = before.c_ospeed;
    System.arraycopy(changed.cc(), 0, raw.c_cc, 0, Math.min(changed.cc().length, raw.c_cc.length));
    return raw;
  }

  /** As cfmakeraw(3). */
  private static void makeRaw(Attributes modes) {
    for (InputFlag flag :
        new InputFlag[] {
          InputFlag.IGNBRK,
          InputFlag.BRKINT,
          InputFlag.PARMRK,
          InputFlag.ISTRIP,
          InputFlag.INLCR,
          InputFlag.IGNCR,
          InputFlag.ICRNL,
          InputFlag.IXON
        }) {
      modes.setInputFlag(flag, false);
    }
    for (LocalFlag flag :
        new LocalFlag[] {
          LocalFlag.ECHO, LocalFlag.ECHONL, LocalFlag.ICANON, LocalFlag.ISIG, LocalFlag.IEXTEN
        }) {
      modes.setLocalFlag(flag, false);
    }
    modes.setOutputFlag(OutputFlag.OPOST, false);
    modes.setControlFlag(ControlFlag.PARENB, false);
    modes.setControlFlag(ControlFlag.CS8, true);
    modes.setControlChar(ControlChar.VMIN, 1);
    modes.setControlChar(ControlChar.VTIME, 0);
  }
}
