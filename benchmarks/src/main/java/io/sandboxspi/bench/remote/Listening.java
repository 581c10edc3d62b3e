package io.sandboxspi.bench.remote;

import io.sandboxspi.ExitStatus;
import io.sandboxspi.spi.OutputChannel;
import io.sandboxspi.spi.ProcessListener;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Notes when output came and when all was over. */
public final class Listening implements ProcessListener {
  private volatile CompletableFuture<Long> first = new CompletableFuture<>();
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

  /** From now on the next output counts. */
  public void arm() {
    first = new CompletableFuture<>();
  }

  /** Lets what is on its way come. */
  public void quiet(Duration time) {
    LockSupport.parkNanos(time.toNanos());
  }

  /** When output came. */
  public long first() throws Exception {
    return first.get(30, TimeUnit.SECONDS);
  }

  /** When both ends had come. */
  public long over() throws Exception {
    return Math.max(closed.get(30, TimeUnit.SECONDS), exited.get(30, TimeUnit.SECONDS));
  }
}
