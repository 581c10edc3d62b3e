package io.sandboxspi.fake;

import io.sandboxspi.local.driver.DriverListener;
import io.sandboxspi.local.driver.DriverProcess;
import io.sandboxspi.local.driver.PtyDriver;
import io.sandboxspi.local.driver.PtyDrivers;
import io.sandboxspi.local.driver.SpawnException;
import io.sandboxspi.local.driver.SpawnRequest;
import io.sandboxspi.local.driver.WindowSize;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** On a terminal, leader of a session. One chunk at a time goes to a listener that may block. */
final class PtyProcess implements RealProcess, DriverListener {
  private static final PtyDriver DRIVER = PtyDrivers.open();
  private static final long PATIENCE = TimeUnit.SECONDS.toNanos(60);

  private final Listener listener;
  private final CountDownLatch begun = new CountDownLatch(1);
  private final BlockingQueue<Runnable> events = new LinkedBlockingQueue<>();
  private volatile @Nullable DriverProcess process;
  private boolean closed;
  private boolean exited;

  private PtyProcess(Listener listener) {
    this.listener = listener;
  }

  static RealProcess start(Spec spec, Listener listener) throws IOException {
    PtyProcess mine = new PtyProcess(listener);
    int[] size = spec.terminal().orElseThrow();
    try {
      mine.process =
          DRIVER.spawn(
              new SpawnRequest(
                  spec.argv(),
                  spec.environment(),
                  spec.directory(),
                  Optional.of(new WindowSize(size[0], size[1])),
                  true),
              mine);
    } catch (SpawnException e) {
      throw new IOException(e.getMessage(), e);
    }
    FakeThreads.start("terminal", mine::pump);
    return mine;
  }

  private void pump() {
    try {
      begun.await();
      while (!closed || !exited) {
        events.take().run();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private DriverProcess process() {
    DriverProcess started = process;
    if (started == null) {
      throw new IllegalStateException("it is started first");
    }
    return started;
  }

  @Override
  public boolean onOutput(int stream, ByteBuffer bytes) {
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(copy);
    events.add(
        () -> {
          listener.onOutput(RealProcess.STDOUT, copy);
          process().resumeOutput();
        });
    return false;
  }

  @Override
  public void onOutputClosed() {
    events.add(
        () -> {
          closed = true;
          listener.onOutputClosed();
        });
  }

  @Override
  public void onExit(int code, int signal) {
    events.add(
        () -> {
          exited = true;
          listener.onExit(code, signal);
        });
  }

  @Override
  public void onExitUnknown(String cause) {
    onExit(1, 0);
  }

  @Override
  public long pid() {
    return process().pid();
  }

  @Override
  public void begin() {
    begun.countDown();
  }

  @Override
  public void write(byte[] bytes) throws IOException {
    try {
      process().write(ByteBuffer.wrap(bytes), System.nanoTime() + PATIENCE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  @Override
  public void closeInput() {
    throw new IllegalStateException("a terminal's input cannot be closed");
  }

  @Override
  public void resize(int columns, int rows) {
    process().resize(new WindowSize(columns, rows));
  }

  @Override
  public void release() {
    process().release();
  }
}
