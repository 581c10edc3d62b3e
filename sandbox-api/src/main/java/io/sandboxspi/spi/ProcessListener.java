package io.sandboxspi.spi;

import io.sandboxspi.ExitStatus;
import java.nio.ByteBuffer;

/**
 * Receives what a process does. Implemented by the engine, called by the backend, one call at a
 * time for each process (spec S-SPI-05). The methods return quickly and never throw; they may be
 * called before {@code launch} has returned; after {@link SandboxProcess#release()} only an exit
 * counts.
 */
public interface ProcessListener {
  /**
   * Hands over output.
   *
   * @param bytes valid during the call only; it is consumed whole
   * @return whether to go on; after {@code false} the backend delivers nothing more until {@link
   *     SandboxProcess#resumeOutput()}, without loss. That call may come before this one has
   *     returned, and counts then
   */
  boolean onOutput(OutputChannel channel, ByteBuffer bytes);

  /** No more output will come from any channel; exactly once unless released before. */
  void onOutputClosed();

  /**
   * The process has ended, or nothing more can be known of it ({@link ExitStatus.Lost}); exactly
   * once. A backend that still learns of an exit after the release tells it: it is the evidence for
   * a kill that was not proven before. May come before the last output (spec S-EXIT-02). A broken
   * connection is {@code Lost}, never an invented code.
   */
  void onExit(ExitStatus status);
}
