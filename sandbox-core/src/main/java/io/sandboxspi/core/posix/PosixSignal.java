package io.sandboxspi.core.posix;

import io.sandboxspi.Signal;
import io.sandboxspi.spi.LaunchId;
import java.util.List;

/** Signals the group of a launch whose recorded leader lives; does nothing otherwise. */
public final class PosixSignal {
  /** What became of a signal. */
  public enum Answer {
    /** The group got it. */
    SENT,
    /** No recorded leader lives. */
    GONE,
    /** The sandbox does not let us, has no {@code /proc}, or gave no answer. */
    REFUSED
  }

  private PosixSignal() {}

  /** The command to run in the sandbox, by {@link PosixState#argv} or a {@link ControlShell}. */
  public static String command(PosixState state, Signal signal, LaunchId id) {
    return "sandbox_signal "
        + ShellText.quote(List.of(state.directory(), signal.name(), id.value()));
  }

  /** Reads the answer. */
  public static Answer parse(LaunchId id, String answer) {
    for (Answer value : Answer.values()) {
      if (answer.equals(id.value() + ' ' + value + '\n')) {
        return value;
      }
    }
    return Answer.REFUSED;
  }
}
