package io.sandboxspi.tck.saboteur;

import io.sandboxspi.Signal;
import io.sandboxspi.TerminalSize;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.InputClosedException;
import io.sandboxspi.spi.SandboxProcess;
import java.nio.ByteBuffer;

/** Delegates. */
class ProcessWrapper implements SandboxProcess {
  protected final SandboxProcess delegate;

  ProcessWrapper(SandboxProcess delegate) {
    this.delegate = delegate;
  }

  @Override
  public void write(ByteBuffer bytes, Deadline deadline)
      throws InterruptedException, InputClosedException {
    delegate.write(bytes, deadline);
  }

  @Override
  public void closeInput(Deadline deadline) throws InterruptedException {
    delegate.closeInput(deadline);
  }

  @Override
  public void resize(TerminalSize size, Deadline deadline) throws InterruptedException {
    delegate.resize(size, deadline);
  }

  @Override
  public void signal(Signal signal, Deadline deadline) throws InterruptedException {
    delegate.signal(signal, deadline);
  }

  @Override
  public void resumeOutput() {
    delegate.resumeOutput();
  }

  @Override
  public void release() {
    delegate.release();
  }
}
