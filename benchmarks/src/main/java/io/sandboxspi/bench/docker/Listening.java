package io.sandboxspi.bench.docker;

import io.sandboxspi.ExitStatus;
import io.sandboxspi.spi.OutputChannel;
import io.sandboxspi.spi.ProcessListener;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Notes when the first byte came and when all was over. */
final class Listening implements ProcessListener {
  private final CompletableFuture<Long> first = new CompletableFuture<>();
  private final CompletableFuture<Long> closed = new CompletableFuture<>();
  private final CompletableFuture<Long> exited = new CompletableFuture<>();

  @Override
  public boolean onOutput(OutputChannel channel, ByteBuffer bytes) {
    first.complete(System.nanoTime());
    bytes.position(bytes.limit());
    return true;
  }

  @Override
  public void onOutputClosed() {
    closed.complete(System.nanoTime());
  }

  @Override
  public void onExit(ExitStatus status) {
    exited.complete(System.nanoTime());
  }

  long first() throws Exception {
    return first.get(30, TimeUnit.SECONDS);
  }

  /** When both ends had come. */
  long over() throws Exception {
    return Math.max(closed.get(30, TimeUnit.SECONDS), exited.get(30, TimeUnit.SECONDS));
  }
}
