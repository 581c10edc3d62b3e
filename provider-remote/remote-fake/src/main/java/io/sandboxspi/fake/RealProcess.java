package io.sandboxspi.fake;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A process of this machine. */
public interface RealProcess {
  /** Standard output; everything on a terminal. */
  int STDOUT = 1;

  /** Standard error. */
  int STDERR = 2;

  /**
   * What to start.
   *
   * @param environment all of it
   * @param terminal columns and rows; empty for pipes
   * @param input without a terminal: whether input is a pipe
   */
  record Spec(
      List<String> argv,
      Map<String, String> environment,
      String directory,
      Optional<int[]> terminal,
      boolean input) {}

  /** Told what it does; may block, which holds the process up. */
  interface Listener {
    /** Output. */
    void onOutput(int stream, byte[] bytes);

    /** The process itself has ended; its output may still be open. */
    void onExit(int code, int signal);

    /** All output has come. */
    void onOutputClosed();
  }

  /** Starts one; the listener hears nothing before {@link #begin}. */
  static RealProcess start(Spec spec, Listener listener) throws IOException {
    return spec.terminal().isPresent()
        ? PtyProcess.start(spec, listener)
        : PipeProcess.start(spec, listener);
  }

  /** Its number. */
  long pid();

  /** Begins to hand over output. */
  void begin();

  /** Writes all; blocks. */
  void write(byte[] bytes) throws IOException;

  /** Ends the input of a pipe. */
  void closeInput() throws IOException;

  /** Changes the terminal's size. */
  void resize(int columns, int rows);

  /** Lets go of its streams. */
  void release();
}
