package io.sandboxspi.tck.saboteur;

import io.sandboxspi.SandboxSession;

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
  public void stop() throws InterruptedException {
    end(super::stop);
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
