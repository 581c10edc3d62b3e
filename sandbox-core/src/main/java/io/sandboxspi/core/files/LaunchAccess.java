package io.sandboxspi.core.files;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExitStatus;
import io.sandboxspi.Operation;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.InputClosedException;
import io.sandboxspi.spi.LaunchId;
import io.sandboxspi.spi.LaunchRequest;
import io.sandboxspi.spi.SandboxBackend;
import io.sandboxspi.spi.SandboxProcess;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A shell that is launched for each text, and owned until it is proven ended. Thread-safe. */
public final class LaunchAccess implements ShellAccess {
  private static final Logger LOG = LoggerFactory.getLogger(LaunchAccess.class);
  private static final int CHUNK = 64 * 1024;
  private static final int LONGEST_ANSWER = 16 << 20;

  /** An argument holds 128 KiB on Linux; the library and four thirds of this go into one. */
  private static final int SMALL_WRITE = 64 * 1024;

  private final SandboxBackend backend;
  private final String shell;
  private final Optional<String> user;
  private final Transfers transfers;

  /**
   * Launches nothing yet.
   *
   * @param shell the shell's name or path in the sandbox
   */
  public LaunchAccess(SandboxBackend backend, String shell) {
    this(backend, shell, Optional.empty(), new Transfers(backend));
  }

  private LaunchAccess(
      SandboxBackend backend, String shell, Optional<String> user, Transfers transfers) {
    this.backend = backend;
    this.shell = shell;
    this.user = user;
    this.transfers = transfers;
  }

  @Override
  public LaunchAccess asUser(String name) {
    return new LaunchAccess(backend, shell, Optional.of(name), transfers);
  }

  @Override
  public int smallRead() {
    return 0;
  }

  @Override
  public int smallWrite() {
    return SMALL_WRITE;
  }

  private LaunchRequest request(LaunchId id, String text, boolean input) {
    return new LaunchRequest(
        id,
        List.of(shell, "-c", ShellFiles.library() + text),
        Map.of(),
        Optional.of("/"),
        Optional.empty(),
        input,
        user);
  }

  @Override
  public byte[] ask(String text, Deadline deadline) throws InterruptedException {
    try (InputStream in = read(text, deadline)) {
      return in.readNBytes(LONGEST_ANSWER);
    } catch (IOException e) {
      throw failed("the sandbox's shell gave no answer", e);
    }
  }

  @Override
  public InputStream read(String text, Deadline deadline) throws InterruptedException {
    Transfers.Transfer transfer = transfers.begin();
    OutputSink sink = new OutputSink();
    boolean done = false;
    try {
      SandboxProcess process = backend.launch(request(transfer.id, text, false), sink, deadline);
      transfer.launched(process);
      done = true;
      return new ProcessInput(sink, process, () -> transfers.end(transfer));
    } finally {
      if (!done) {
        transfers.end(transfer);
      }
    }
  }

  @Override
  public byte[] write(String text, InputStream content, Deadline deadline)
      throws InterruptedException {
    Transfers.Transfer transfer = transfers.begin();
    OutputSink sink = new OutputSink();
    try {
      SandboxProcess process = backend.launch(request(transfer.id, text, true), sink, deadline);
      transfer.launched(process);
      copy(content, process, deadline);
      process.closeInput(deadline);
      ExitStatus status = sink.exit(deadline);
      byte[] answer = sink.rest();
      // A text that says what is wrong need not take all of its input.
      if (!status.equals(new ExitStatus.Exited(0))) {
        throw failed("the sandbox took not all: " + status, null);
      }
      return answer;
    } finally {
      transfers.end(transfer);
    }
  }

  private static void copy(InputStream content, SandboxProcess process, Deadline deadline)
      throws InterruptedException {
    byte[] chunk = new byte[CHUNK];
    try {
      for (int n = content.read(chunk); n >= 0; n = content.read(chunk)) {
        process.write(ByteBuffer.wrap(chunk, 0, n), deadline);
      }
    } catch (InputClosedException e) {
      // What it answers, or its code, says why it takes no more.
      LOG.debug("a shell took not all of its input", e);
    } catch (IOException e) {
      throw failed("the new content cannot be read", e);
    }
  }

  static SandboxException failed(String why, @Nullable Throwable cause) {
    SandboxException.Builder failure =
        SandboxException.builder(ErrorCode.FILE_FAILED, Operation.FILE_WRITE, why)
            .retryable(Retryable.UNKNOWN);
    return (cause == null ? failure : failure.cause(cause)).build();
  }

  /** The output of a process as a stream. */
  private static final class ProcessInput extends InputStream {
    private final OutputSink sink;
    private final SandboxProcess process;
    private final Runnable end;
    private boolean closed;

    ProcessInput(OutputSink sink, SandboxProcess process, Runnable end) {
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
      return length == 0 ? 0 : sink.read(into, offset, length, process);
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
