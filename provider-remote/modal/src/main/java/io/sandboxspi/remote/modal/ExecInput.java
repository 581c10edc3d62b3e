package io.sandboxspi.remote.modal;

import io.sandboxspi.ExitStatus;
import io.sandboxspi.remote.shell.Output;
import io.sandboxspi.remote.shell.Running;
import io.sandboxspi.spi.OutputChannel;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** What a command prints, as a stream; it is held up while nobody reads. One reader. */
final class ExecInput extends InputStream implements Output {
  private static final int MOST_HELD = 4 << 20;
  private static final Duration SILENCE = Duration.ofSeconds(60);

  private final ModalMachine machine;
  private final BlockingQueue<Piece> pieces = new LinkedBlockingQueue<>();
  private final AtomicInteger held = new AtomicInteger();
  private final CompletableFuture<Running> running = new CompletableFuture<>();
  private ByteBuffer now = ByteBuffer.allocate(0);
  private Optional<End> end = Optional.empty();

  /** Some bytes, or the end. */
  private record Piece(ByteBuffer bytes, Optional<End> end) {}

  ExecInput(ModalMachine machine) {
    this.machine = machine;
  }

  void started(Running process) {
    running.complete(process);
  }

  @Override
  public boolean onOutput(OutputChannel channel, ByteBuffer bytes) {
    if (channel == OutputChannel.STDERR) {
      bytes.position(bytes.limit());
      return true;
    }
    ByteBuffer copy = ByteBuffer.allocate(bytes.remaining()).put(bytes).flip();
    int size = copy.remaining();
    pieces.add(new Piece(copy, Optional.empty()));
    return held.addAndGet(size) < MOST_HELD;
  }

  @Override
  public void onEnd(End how) {
    pieces.add(new Piece(ByteBuffer.allocate(0), Optional.of(how)));
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] into, int offset, int length) throws IOException {
    while (!now.hasRemaining() && end.isEmpty() && length > 0) {
      next();
    }
    if (now.hasRemaining()) {
      int n = Math.min(length, now.remaining());
      now.get(into, offset, n);
      return n;
    }
    return length == 0 ? 0 : ended();
  }

  private void next() throws IOException {
    Piece piece;
    try {
      piece = pieces.poll(SILENCE.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("the reading of a file was interrupted", e);
    }
    if (piece == null) {
      throw new IOException("reading a file: nothing came for " + SILENCE.toSeconds() + " s");
    }
    now = piece.bytes();
    end = piece.end();
    int before = held.getAndAdd(-now.remaining());
    if (before >= MOST_HELD && before - now.remaining() < MOST_HELD) {
      running.join().resume();
    }
  }

  private int ended() throws IOException {
    End how = end.orElseThrow();
    if (how.broken().isPresent()) {
      throw new IOException(
          "reading a file: the connection broke before the end", how.broken().get());
    }
    if (!how.status().equals(Optional.of(new ExitStatus.Exited(0)))) {
      throw new IOException("reading a file: the sandbox's command failed: " + how.status());
    }
    return -1;
  }

  @Override
  public void close() {
    Running process = running.getNow(null);
    if (process != null) {
      process.close();
      if (end.isEmpty()) {
        machine.discard(process);
      }
    }
  }
}
