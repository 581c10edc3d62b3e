package io.sandboxspi.tck.plain;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExitStatus;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.Signal;
import io.sandboxspi.TerminalSize;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.InputClosedException;
import io.sandboxspi.spi.LaunchRequest;
import io.sandboxspi.spi.OutputChannel;
import io.sandboxspi.spi.ProcessListener;
import io.sandboxspi.spi.SandboxProcess;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Output comes through named pipes and not through {@link Process}, which would close them at the
 * exit of the leader, whoever else holds them.
 */
final class PlainProcess implements SandboxProcess {
  private static final String REDIRECT = "o=$1 e=$2; shift 2; exec \"$@\" >\"$o\" 2>\"$e\"";

  private final Process process;
  private final ProcessListener listener;
  private final Object room = new Object();
  private final Object delivery = new Object();
  private boolean full;
  private boolean resumed;
  private int openChannels = 2;
  private volatile boolean released;

  private PlainProcess(Process process, ProcessListener listener) {
    this.process = process;
    this.listener = listener;
  }

  static PlainProcess start(
      LaunchRequest request,
      Map<String, String> environment,
      Path directory,
      Path home,
      ProcessListener listener)
      throws IOException, InterruptedException {
    Path pipes = Files.createTempDirectory(home, "pipes");
    Path out = pipes.resolve("out");
    Path err = pipes.resolve("err");
    int made = new ProcessBuilder("mkfifo", out.toString(), err.toString()).start().waitFor();
    if (made != 0) {
      throw new IOException("mkfifo failed");
    }
    // Held open for reading and writing, neither end blocks when it is opened.
    RandomAccessFile keepOut = new RandomAccessFile(out.toFile(), "rw");
    RandomAccessFile keepErr = new RandomAccessFile(err.toFile(), "rw");
    FileInputStream readOut = new FileInputStream(out.toFile());
    FileInputStream readErr = new FileInputStream(err.toFile());
    List<String> argv =
        new ArrayList<>(
            List.of("setsid", "sh", "-c", REDIRECT, "sh", out.toString(), err.toString()));
    argv.addAll(request.argv());
    ProcessBuilder builder = new ProcessBuilder(argv).directory(directory.toFile());
    builder.environment().clear();
    builder.environment().putAll(environment);
    builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
    builder.redirectError(ProcessBuilder.Redirect.DISCARD);
    if (!request.openInput()) {
      builder.redirectInput(Path.of("/dev/null").toFile());
    }
    PlainProcess mine = new PlainProcess(builder.start(), listener);
    String name = "plain-" + request.id();
    daemon(name + "-out", () -> mine.pump(OutputChannel.STDOUT, readOut));
    daemon(name + "-err", () -> mine.pump(OutputChannel.STDERR, readErr));
    daemon(
        name + "-exit",
        () -> {
          mine.awaitExit();
          close(keepOut);
          close(keepErr);
          Trees.delete(pipes);
        });
    return mine;
  }

  private static void daemon(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
  }

  private static void close(AutoCloseable closeable) {
    try {
      closeable.close();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private void pump(OutputChannel channel, FileInputStream in) {
    byte[] buffer = new byte[16_384];
    try (in) {
      for (int n = in.read(buffer); n > 0; n = in.read(buffer)) {
        ByteBuffer chunk = ByteBuffer.wrap(buffer, 0, n);
        while (!deliver(channel, chunk)) {
          awaitRoom();
        }
      }
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
    synchronized (delivery) {
      openChannels--;
      if (openChannels == 0 && !released) {
        listener.onOutputClosed();
      }
    }
  }

  /** Whether it was delivered: not while the listener is full. */
  private boolean deliver(OutputChannel channel, ByteBuffer chunk) {
    synchronized (delivery) {
      synchronized (room) {
        if (full && !released) {
          return false;
        }
        resumed = false;
      }
      boolean more = released || listener.onOutput(channel, chunk);
      if (!more) {
        synchronized (room) {
          full = !resumed;
        }
      }
      return true;
    }
  }

  private void awaitRoom() throws InterruptedException {
    synchronized (room) {
      while (full && !released) {
        room.wait(200);
      }
    }
  }

  private void awaitExit() {
    try {
      int code = process.waitFor();
      ExitStatus status =
          code > 128 && code <= 128 + 31
              ? new ExitStatus.Signalled(code - 128)
              : new ExitStatus.Exited(code);
      synchronized (delivery) {
        listener.onExit(status);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void write(ByteBuffer bytes, Deadline deadline)
      throws InterruptedException, InputClosedException {
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(copy);
    FutureTask<Boolean> task =
        new FutureTask<>(
            () -> {
              process.getOutputStream().write(copy);
              process.getOutputStream().flush();
              return true;
            });
    daemon("plain-write", task);
    try {
      task.get(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw SandboxException.of(
          ErrorCode.WRITE_TIMEOUT, Operation.PTY_WRITE, "the input was not taken");
    } catch (ExecutionException e) {
      throw new InputClosedException("the process takes no more input");
    }
  }

  @Override
  public void closeInput(Deadline deadline) {
    daemon(
        "plain-close",
        () -> {
          try {
            process.getOutputStream().close();
          } catch (IOException brokenPipe) {
            // It has ended: so has its input.
          }
        });
  }

  @Override
  public void resize(TerminalSize size, Deadline deadline) {
    throw SandboxException.of(ErrorCode.UNSUPPORTED, Operation.PTY_RESIZE, "no terminals");
  }

  @Override
  public void signal(Signal signal, Deadline deadline) throws InterruptedException {
    if (process.isAlive()) {
      String text = "kill -" + signal + " -" + process.pid();
      try {
        new ProcessBuilder("sh", "-c", text)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start()
            .waitFor();
      } catch (IOException e) {
        throw SandboxException.builder(ErrorCode.TRANSPORT, Operation.PTY_SIGNAL, "cannot signal")
            .cause(e)
            .build();
      }
    }
  }

  @Override
  public void resumeOutput() {
    synchronized (room) {
      // It may come before the listener's answer was noted.
      resumed = !full;
      full = false;
      room.notifyAll();
    }
  }

  @Override
  public void release() {
    released = true;
    synchronized (room) {
      room.notifyAll();
    }
  }
}
