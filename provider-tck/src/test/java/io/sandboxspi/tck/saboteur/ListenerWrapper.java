package io.sandboxspi.tck.saboteur;

import io.sandboxspi.ExitStatus;
import io.sandboxspi.spi.OutputChannel;
import io.sandboxspi.spi.ProcessListener;
import java.nio.ByteBuffer;

/** Delegates. */
class ListenerWrapper implements ProcessListener {
  protected final ProcessListener delegate;

  ListenerWrapper(ProcessListener delegate) {
    this.delegate = delegate;
  }

  @Override
  public boolean onOutput(OutputChannel channel, ByteBuffer bytes) {
    return delegate.onOutput(channel, bytes);
  }

  @Override
  public void onOutputClosed() {
    delegate.onOutputClosed();
  }

  @Override
  public void onExit(ExitStatus status) {
    delegate.onExit(status);
  }
}
