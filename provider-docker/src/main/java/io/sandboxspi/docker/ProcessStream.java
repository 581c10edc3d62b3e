package io.sandboxspi.docker;

import io.sandboxspi.docker.attach.Attach;
import io.sandboxspi.spi.Deadline;
import java.io.IOException;
import java.nio.ByteBuffer;

/** What a launch has of a stream: its own, or one that it has while it runs. Thread-safe. */
interface ProcessStream {
  /** The whole of a stream. */
  static ProcessStream of(Attach attach) {
    return new ProcessStream() {
      @Override
      public Attach.Written write(ByteBuffer bytes, Deadline deadline)
          throws InterruptedException, IOException {
        return attach.write(bytes, deadline);
      }

      @Override
      public Attach.Written closeInput(Deadline deadline) throws InterruptedException, IOException {
        return attach.closeInput(deadline);
      }

      @Override
      public void resume() {
        attach.resume();
      }

      @Override
      public void drain() {
        attach.drain();
      }

      @Override
      public void close() {
        attach.close();
      }
    };
  }

  /** As {@link Attach#write}. */
  Attach.Written write(ByteBuffer bytes, Deadline deadline)
      throws InterruptedException, IOException;

  /** As {@link Attach#closeInput}. */
  Attach.Written closeInput(Deadline deadline) throws InterruptedException, IOException;

  /** As {@link Attach#resume}. */
  void resume();

  /** Reads to the end, as must be before the process is killed. */
  void drain();

  /** Lets go of it; never blocks. */
  void close();
}
