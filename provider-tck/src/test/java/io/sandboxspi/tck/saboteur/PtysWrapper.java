package io.sandboxspi.tck.saboteur;

import io.sandboxspi.PtyExit;
import io.sandboxspi.PtyInfo;
import io.sandboxspi.PtyRequest;
import io.sandboxspi.PtyStream;
import io.sandboxspi.PtyUpdate;
import io.sandboxspi.Ptys;
import io.sandboxspi.Registration;
import io.sandboxspi.Signal;
import io.sandboxspi.TerminalSize;
import io.sandboxspi.YieldOptions;
import java.util.List;
import java.util.function.Consumer;

/** Delegates. */
class PtysWrapper implements Ptys {
  protected final Ptys delegate;

  PtysWrapper(Ptys delegate) {
    this.delegate = delegate;
  }

  @Override
  public PtyUpdate start(PtyRequest request) throws InterruptedException {
    return delegate.start(request);
  }

  @Override
  public PtyUpdate write(int id, String text) throws InterruptedException {
    return write(id, text, YieldOptions.forWrite());
  }

  @Override
  public PtyUpdate write(int id, String text, YieldOptions options) throws InterruptedException {
    return delegate.write(id, text, options);
  }

  @Override
  public PtyUpdate poll(int id) throws InterruptedException {
    return poll(id, YieldOptions.forPoll());
  }

  @Override
  public PtyUpdate poll(int id, YieldOptions options) throws InterruptedException {
    return delegate.poll(id, options);
  }

  @Override
  public List<PtyInfo> list() {
    return delegate.list();
  }

  @Override
  public void resize(int id, TerminalSize size) {
    delegate.resize(id, size);
  }

  @Override
  public PtyStream attach(int id) {
    return delegate.attach(id);
  }

  @Override
  public void signal(int id, Signal signal) {
    delegate.signal(id, signal);
  }

  @Override
  public PtyUpdate terminate(int id) throws InterruptedException {
    return delegate.terminate(id);
  }

  @Override
  public void terminateAll() throws InterruptedException {
    delegate.terminateAll();
  }

  @Override
  public Registration onExit(int id, Consumer<PtyExit> listener) {
    return delegate.onExit(id, listener);
  }
}
