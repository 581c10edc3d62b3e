package io.sandboxspi.tck.saboteur;

import io.sandboxspi.Checkpoint;
import io.sandboxspi.SandboxSession;
import java.util.concurrent.atomic.AtomicReference;

/** Delegates; what ends the session goes through one method. */
abstract class ClosingWrapper extends SessionWrapper {
  ClosingWrapper(SandboxSession delegate) {
    super(delegate);
  }

  /** Something that ends the session or what runs in it. */
  interface Step {
    void run() throws InterruptedException;
  }

  abstract void end(Step step) throws InterruptedException;

  @Override
  public Checkpoint stop() throws InterruptedException {
    AtomicReference<Checkpoint> checkpoint =
        new AtomicReference<>(Checkpoint.of(provider(), id(), 0));
    end(() -> checkpoint.set(super.stop()));
    return checkpoint.get();
  }

  @Override
  public void shutdown() throws InterruptedException {
    end(super::shutdown);
  }

  @Override
  public void close() {
    try {
      end(super::close);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
