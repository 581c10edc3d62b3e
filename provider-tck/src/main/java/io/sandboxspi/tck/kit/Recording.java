package io.sandboxspi.tck.kit;

import io.sandboxspi.ExitStatus;
import io.sandboxspi.spi.OutputChannel;
import io.sandboxspi.spi.ProcessListener;
import io.sandboxspi.spi.SandboxProcess;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A strict listener: counts ends, notices overlaps and output that should not come. */
public final class Recording implements ProcessListener {
  private final AtomicInteger inside = new AtomicInteger();
  private final CountDownLatch attached = new CountDownLatch(1);
  private volatile boolean overlapped;
  private volatile boolean afterClose;
  private volatile boolean whilePaused;
  private volatile boolean paused;
  private volatile int pauseEvery;
  private final AtomicInteger chunks = new AtomicInteger();
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicInteger exits = new AtomicInteger();
  private final AtomicInteger closes = new AtomicInteger();
  private volatile @Nullable ExitStatus status;
  private volatile @Nullable SandboxProcess process;

  /** Takes everything. */
  public Recording() {}

  /** Says that it is full at every nth chunk, and resumes soon after from another thread. */
  public void pauseEvery(int nth) {
    pauseEvery = nth;
  }

  /** The process to resume. */
  public void attach(SandboxProcess value) {
    process = value;
    attached.countDown();
  }

  @Override
  public boolean onOutput(OutputChannel channel, ByteBuffer chunk) {
    enter();
    try {
      afterClose |= closes.get() > 0;
      whilePaused |= paused;
      bytes.addAndGet(chunk.remaining());
      chunk.position(chunk.limit());
      int count = chunks.incrementAndGet();
      if (pauseEvery > 0 && count % pauseEvery == 0) {
        paused = true;
        Thread resumer = new Thread(this::resume, "tck-resume");
        resumer.setDaemon(true);
        resumer.start();
        return false;
      }
      return true;
    } finally {
      inside.decrementAndGet();
    }
  }

  private void resume() {
    try {
      boolean known = attached.await(10, TimeUnit.SECONDS);
      SandboxProcess mine = process;
      Await.pause(20_000_000);
      if (known && mine != null) {
        paused = false;
        mine.resumeOutput();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void onOutputClosed() {
    enter();
    int unused = closes.incrementAndGet();
    inside.decrementAndGet();
  }

  @Override
  public void onExit(ExitStatus value) {
    enter();
    int unused = exits.incrementAndGet();
    status = value;
    inside.decrementAndGet();
  }

  private void enter() {
    overlapped |= inside.getAndIncrement() > 0;
  }

  /** Bytes so far. */
  public long bytes() {
    return bytes.get();
  }

  /** How often the exit was told. */
  public int exits() {
    return exits.get();
  }

  /** How often the end of the output was told. */
  public int closes() {
    return closes.get();
  }

  /** The exit. */
  public Optional<ExitStatus> status() {
    return Optional.ofNullable(status);
  }

  /** Whether two calls were inside at once. */
  public boolean overlapped() {
    return overlapped;
  }

  /** Whether output came after its end. */
  public boolean afterClose() {
    return afterClose;
  }

  /** Whether output came after the listener said that it is full. */
  public boolean whilePaused() {
    return whilePaused;
  }
}
