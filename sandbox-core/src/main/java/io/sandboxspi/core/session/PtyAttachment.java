package io.sandboxspi.core.session;

import io.sandboxspi.PtyStream;
import io.sandboxspi.core.output.BoundedPipe;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;

/** A live stream on a PTY. */
final class PtyAttachment implements PtyStream {
  private final int id;
  private final PtyEntry entry;
  private final BoundedPipe pipe;
  private final Sender sender;
  private final Runnable onClose;
  private final OutputStream input = new Input();
  private final AtomicBoolean closed = new AtomicBoolean();

  /** Writes to the PTY. */
  interface Sender {
    void send(PtyEntry entry, int id, ByteBuffer bytes) throws InterruptedException;
  }

  PtyAttachment(int id, PtyEntry entry, BoundedPipe pipe, Sender sender, Runnable onClose) {
    this.id = id;
    this.entry = entry;
    this.pipe = pipe;
    this.sender = sender;
    this.onClose = onClose;
  }

  @Override
  public int id() {
    return id;
  }

  @Override
  public InputStream output() {
    return new KeepingStream(pipe.input(), this);
  }

  @Override
  public OutputStream input() {
    return input;
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      try {
        entry.detach(pipe);
      } catch (IOException e) {
        throw new UncheckedIOException(e); // closing a pipe in memory does not fail
      } finally {
        onClose.run();
      }
    }
  }

  @Override
  public String toString() {
    return "PtyStream[" + id + "]";
  }

  private final class Input extends OutputStream {
    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      Objects.checkFromIndexSize(offset, length, bytes.length);
      if (closed.get()) {
        throw new IOException("the stream is closed");
      }
      try {
        sender.send(entry, id, ByteBuffer.wrap(Arrays.copyOfRange(bytes, offset, offset + length)));
      } catch (InterruptedException e) {
        InterruptedIOException interrupted = new InterruptedIOException("interrupted");
        interrupted.initCause(e);
        throw interrupted;
      }
    }
  }
}
