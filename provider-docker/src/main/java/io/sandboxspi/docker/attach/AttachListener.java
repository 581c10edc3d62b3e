package io.sandboxspi.docker.attach;

import io.sandboxspi.spi.OutputChannel;
import java.nio.ByteBuffer;
import java.util.Optional;

/** Receives a stream, one call at a time, on the reactor's thread; must not block. */
public interface AttachListener {
  /** Takes all of the bytes, which are valid during the call only; whether to go on. */
  boolean onOutput(OutputChannel channel, ByteBuffer bytes);

  /** May go on after it had enough: first with what it holds itself; whether to go on. */
  default boolean onResumed() {
    return true;
  }

  /** The stream is over, once; with what broke it, if it did not end by itself. */
  void onEnd(Optional<Exception> broken);
}
