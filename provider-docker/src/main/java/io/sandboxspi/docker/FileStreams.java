package io.sandboxspi.docker;

import io.sandboxspi.ExitStatus;
import io.sandboxspi.SandboxException;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.InputClosedException;
import io.sandboxspi.spi.LaunchId;
import io.sandboxspi.spi.LaunchRequest;
import io.sandboxspi.spi.SandboxProcess;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Contents of large files, as the streams of a process that is owned until it is proven ended. */
final class FileStreams {
  private static final Logger LOG = LoggerFactory.getLogger(FileStreams.class);
  private static final Duration CLEANUP = Duration.ofSeconds(5);

  private final String shell;
  private final Launcher launcher;
  private final Kills kills;

  FileStreams(String shell, Launcher launcher, Kills kills) {
    this.shell = shell;
    this.launcher = launcher;
    this.kills = kills;
  }

  /** A step of tidying up. */
  interface Step {
    void run(Deadline deadline) throws InterruptedException;
  }

  /** Runs in a bound of its own, whatever the caller is at; what fails is logged. */
  static void quietly(Step step) {
    boolean interrupted = Thread.interrupted();
    try {
      step.run(Deadline.after(CLEANUP));
    } catch (InterruptedException e) {
      interrupted = true;
    } catch (RuntimeException e) {
      LOG.warn("something of a file transfer may be left in the sandbox", e);
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private LaunchRequest request(LaunchId id, String text, String file, boolean input) {
    return new LaunchRequest(
        id,
        List.of(shell, "-c", text, "sandbox-file", file),
        Map.of(),
        Optional.of("/"),
        Optional.empty(),
        input);
  }

  InputStream read(String path, String file, Deadline deadline) throws InterruptedException {
    LaunchId id = LaunchId.random();
    FileSink sink = new FileSink();
    boolean done = false;
    try {
      SandboxProcess process =
          launcher.launch(request(id, "exec cat <\"$1\"", file, false), sink, deadline);
      done = true;
      return new ProcessInput(path, sink, process, () -> end(id, process));
    } finally {
      if (!done) {
        quietly(limit -> kills.kill(List.of(id), limit));
      }
    }
  }

  /** Answers how many bytes it wrote. */
  long write(String path, String file, InputStream content, Deadline deadline)
      throws InterruptedException {
    LaunchId id = LaunchId.random();
    FileSink sink = new FileSink();
    SandboxProcess process = null;
    try {
      process = launcher.launch(request(id, "exec cat >\"$1\"", file, true), sink, deadline);
      long size = copy(path, content, process, deadline);
      process.closeInput(deadline);
      ExitStatus status = sink.exit(deadline);
      if (!status.equals(new ExitStatus.Exited(0))) {
        throw DockerFiles.failed(path, "it cannot be written", new IOException(status.toString()));
      }
      return size;
    } catch (InputClosedException e) {
      throw DockerFiles.failed(path, "it cannot be written: is the disk full?", e);
    } finally {
      end(id, process);
    }
  }

  private static long copy(
      String path, InputStream content, SandboxProcess process, Deadline deadline)
      throws InterruptedException, InputClosedException {
    byte[] chunk = new byte[65_536];
    long size = 0;
    try {
      for (int n = content.read(chunk); n >= 0; n = content.read(chunk)) {
        process.write(ByteBuffer.wrap(chunk, 0, n), deadline);
        size += n;
      }
    } catch (IOException e) {
      throw DockerFiles.failed(path, "its new content cannot be read", e);
    }
    return size;
  }

  private void end(LaunchId id, @org.jspecify.annotations.Nullable SandboxProcess process) {
    quietly(limit -> kills.kill(List.of(id), limit));
    if (process != null) {
      process.release();
    }
  }

  /** The bytes of a process as a stream. */
  private static final class ProcessInput extends InputStream {
    private final String path;
    private final FileSink sink;
    private final SandboxProcess process;
    private final Runnable end;
    private boolean closed;

    ProcessInput(String path, FileSink sink, SandboxProcess process, Runnable end) {
      this.path = path;
      this.sink = sink;
      this.process = process;
      this.end = end;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      if (closed) {
        throw new IOException("the stream is closed");
      }
      try {
        return sink.read(into, offset, length, process);
      } catch (SandboxException e) {
        throw new IOException('"' + path + "\" cannot be read to its end", e);
      }
    }

    @Override
    public void close() {
      if (!closed) {
        closed = true;
        end.run();
      }
    }
  }
}
