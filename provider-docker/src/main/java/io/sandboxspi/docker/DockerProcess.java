package io.sandboxspi.docker;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.Signal;
import io.sandboxspi.TerminalSize;
import io.sandboxspi.core.posix.PosixSignal;
import io.sandboxspi.core.posix.PosixState;
import io.sandboxspi.docker.attach.Attach;
import io.sandboxspi.docker.engine.EngineException;
import io.sandboxspi.docker.engine.Refusal;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.InputClosedException;
import io.sandboxspi.spi.SandboxProcess;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The handle of a launch that has started. */
final class DockerProcess implements SandboxProcess {
  private static final Logger LOG = LoggerFactory.getLogger(DockerProcess.class);
  private static final byte END_OF_FILE = 4;

  private final Launch launch;
  private final ProcessStream stream;
  private final Execs execs;
  private final ControlLink control;
  private final PosixState state;

  DockerProcess(
      Launch launch, ProcessStream stream, Execs execs, ControlLink control, PosixState state) {
    this.launch = launch;
    this.stream = stream;
    this.execs = execs;
    this.control = control;
    this.state = state;
  }

  @Override
  public void write(ByteBuffer bytes, Deadline deadline)
      throws InterruptedException, InputClosedException {
    try {
      if (done(stream.write(bytes, deadline)) == Attach.Written.CLOSED) {
        throw new InputClosedException("the process takes no more input");
      }
    } catch (IOException e) {
      throw broken(e);
    }
  }

  @Override
  public void closeInput(Deadline deadline) throws InterruptedException {
    try {
      Attach.Written unused =
          done(
              launch.terminal()
                  ? stream.write(ByteBuffer.wrap(new byte[] {END_OF_FILE}), deadline)
                  : stream.closeInput(deadline));
    } catch (IOException e) {
      throw broken(e);
    }
  }

  private static Attach.Written done(Attach.Written written) {
    if (written == Attach.Written.TIMEOUT) {
      throw SandboxException.builder(
              ErrorCode.WRITE_TIMEOUT,
              Operation.PTY_WRITE,
              "the input was not taken before the deadline")
          .retryable(Retryable.UNKNOWN)
          .build();
    }
    return written;
  }

  private static SandboxException broken(IOException cause) {
    return SandboxException.builder(
            ErrorCode.TRANSPORT, Operation.PTY_WRITE, "the connection to the process broke")
        .cause(cause)
        .retryable(Retryable.UNKNOWN)
        .build();
  }

  @Override
  public void resize(TerminalSize size, Deadline deadline) throws InterruptedException {
    if (!launch.terminal() || launch.exitKnown()) {
      return;
    }
    try {
      execs.resize(launch.exec(), size, deadline);
    } catch (Refusal ended) {
      LOG.debug("{} has no terminal any more", launch.id(), ended);
    } catch (EngineException e) {
      throw Failures.of(Operation.PTY_RESIZE, e);
    }
  }

  @Override
  public void signal(Signal signal, Deadline deadline) throws InterruptedException {
    if (launch.exitKnown()) {
      return;
    }
    try {
      String answer = control.ask(PosixSignal.command(state, signal, launch.id()), deadline).text();
      if (PosixSignal.parse(launch.id(), answer) == PosixSignal.Answer.REFUSED) {
        throw SandboxException.of(
            ErrorCode.TRANSPORT,
            Operation.PTY_SIGNAL,
            "the sandbox does not let the signal through");
      }
    } catch (Refusal refusal) {
      throw Failures.of(Operation.PTY_SIGNAL, refusal);
    } catch (EngineException e) {
      throw Failures.of(Operation.PTY_SIGNAL, e);
    }
  }

  @Override
  public void resumeOutput() {
    stream.resume();
  }

  @Override
  public void release() {
    // It stays known until its end is proven: an exit is told after this, too.
    launch.abandon();
  }
}
