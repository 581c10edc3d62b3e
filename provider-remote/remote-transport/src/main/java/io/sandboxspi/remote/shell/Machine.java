package io.sandboxspi.remote.shell;

import io.sandboxspi.TerminalSize;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.Liveness;
import java.io.InputStream;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * What a vendor does in one sandbox. Thread-safe. Calls end by their deadline or at an interrupt,
 * and fail with a {@link io.sandboxspi.remote.transport.RemoteException}.
 */
public interface Machine {
  /** How a sandbox is. */
  enum State {
    /** It runs. */
    RUNNING,
    /** It is kept, but nothing in it runs. */
    PAUSED,
    /** It is kept, and what ran in it has ended. */
    STOPPED,
    /** It is proven not to exist any more. */
    GONE;

    /** What that says of the backend; one that is kept may run again. */
    public Liveness liveness() {
      return switch (this) {
        case RUNNING -> Liveness.RUNNING;
        case GONE -> Liveness.GONE;
        case PAUSED, STOPPED -> Liveness.UNKNOWN;
      };
    }
  }

  /**
   * How the vendor says a sandbox is.
   *
   * @param word the vendor's, for people
   */
  record Condition(State state, String word) {
    /** Of a vendor that has no more words. */
    public static Condition of(State state) {
      return new Condition(state, state.name().toLowerCase(Locale.ROOT));
    }
  }

  /**
   * What to start.
   *
   * @param argv program, absolute, and arguments
   * @param environment beside what the vendor sets
   * @param terminal its size; empty for pipes
   * @param input without a terminal: whether input is a pipe
   */
  record Start(
      List<String> argv,
      Map<String, String> environment,
      Optional<TerminalSize> terminal,
      boolean input) {
    /** Copies the collections. */
    public Start {
      argv = List.copyOf(argv);
      environment = Map.copyOf(environment);
    }

    /** The program only. */
    @Override
    public String toString() {
      return "Start[program=" + argv.get(0) + "]";
    }
  }

  /**
   * Starts a process; sent once.
   *
   * @param output told from the first byte on, maybe before this returns
   */
  Running start(Start start, Output output, Deadline deadline) throws InterruptedException;

  /**
   * Asks the vendor how the sandbox is, without waking it; empty when there is nobody to ask but
   * the sandbox.
   */
  Optional<Condition> condition(Deadline deadline) throws InterruptedException;

  /** Opens a file by its real path. */
  InputStream read(String path, Deadline deadline) throws InterruptedException;

  /**
   * Whether {@link #read} and {@link #write} do to any file what its owner may, and leave owner and
   * mode as they are.
   */
  default boolean inPlace() {
    return false;
  }

  /** Writes a file in place by its real path. */
  void write(String path, InputStream content, Deadline deadline) throws InterruptedException;
}
