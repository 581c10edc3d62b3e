package io.sandboxspi.fake;

import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * On pipes, in the process group of this JVM as a daemon's children are. Named pipes, because the
 * JDK's own end with the process and not with the last that holds them. A code from 129 to 192
 * counts as a signal: the JDK does not tell them apart.
 */
final class PipeProcess implements RealProcess {
  private static final int CHUNK = 32 * 1024;

  private final Listener listener;
  private final CountDownLatch begun = new CountDownLatch(1);
  private final AtomicInteger open = new AtomicInteger(2);
  private final CompletableFuture<OutputStream> input = new CompletableFuture<>();
  private volatile @Nullable Process process;

  private PipeProcess(Listener listener) {
    this.listener = listener;
  }

  static RealProcess start(Spec spec, Listener listener) throws IOException {
    Path directory = Files.createTempDirectory("sandbox-fake");
    Path in = directory.resolve("0");
    Path out = directory.resolve("1");
    Path err = directory.resolve("2");
    PipeProcess mine = new PipeProcess(listener);
    try {
      Posix.pipe(out);
      Posix.pipe(err);
      ProcessBuilder builder =
          new ProcessBuilder(spec.argv()).directory(new java.io.File(spec.directory()));
      builder.environment().clear();
      builder.environment().putAll(spec.environment());
      builder.redirectOutput(out.toFile()).redirectError(err.toFile());
      if (spec.input()) {
        Posix.pipe(in);
        builder.redirectInput(in.toFile());
        // Each end of a named pipe waits for the other.
        FakeThreads.start("input", () -> mine.open(in));
      } else {
        builder.redirectInput(new java.io.File("/dev/null"));
      }
      FakeThreads.start("output", () -> mine.pump(out, STDOUT));
      FakeThreads.start("output", () -> mine.pump(err, STDERR));
      Process started = builder.start();
      mine.process = started;
      if (spec.input()) {
        OutputStream unused = mine.input.join();
      }
      FakeThreads.start("wait", () -> mine.await(started));
      return mine;
    } finally {
      Files.deleteIfExists(in);
      Files.deleteIfExists(out);
      Files.deleteIfExists(err);
      Files.deleteIfExists(directory);
    }
  }

  private void open(Path pipe) {
    try {
      input.complete(new FileOutputStream(pipe.toFile()));
    } catch (IOException e) {
      input.completeExceptionally(e);
    }
  }

  private void pump(Path pipe, int stream) {
    byte[] chunk = new byte[CHUNK];
    try (InputStream in = new FileInputStream(pipe.toFile())) {
      begun.await();
      for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) {
        listener.onOutput(stream, java.util.Arrays.copyOf(chunk, n));
      }
    } catch (IOException | InterruptedException ended) {
      Thread.currentThread().interrupt();
    } finally {
      if (open.decrementAndGet() == 0) {
        listener.onOutputClosed();
      }
    }
  }

  private void await(Process started) {
    try {
      int code = started.waitFor();
      begun.await();
      boolean signal = code > 128 && code <= 192;
      listener.onExit(signal ? 0 : code, signal ? code - 128 : 0);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public long pid() {
    Process started = process;
    return started == null ? 0 : started.pid();
  }

  @Override
  public void begin() {
    begun.countDown();
  }

  @Override
  public void write(byte[] bytes) throws IOException {
    OutputStream out = input.getNow(null);
    if (out == null) {
      throw new IOException("there is no input");
    }
    out.write(bytes);
  }

  @Override
  public void closeInput() throws IOException {
    OutputStream out = input.getNow(null);
    if (out != null) {
      out.close();
    }
  }

  @Override
  public void resize(int columns, int rows) {
    throw new IllegalStateException("there is no terminal");
  }

  @Override
  public void release() {
    try {
      closeInput();
    } catch (IOException closed) {
      assert closed.getMessage() != null;
    }
  }
}
