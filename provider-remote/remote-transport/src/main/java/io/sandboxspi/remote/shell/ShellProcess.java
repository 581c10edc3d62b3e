package io.sandboxspi.remote.shell;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.Signal;
import io.sandboxspi.TerminalSize;
import io.sandboxspi.core.posix.PosixSignal;
import io.sandboxspi.core.posix.PosixState;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.InputClosedException;
import io.sandboxspi.spi.SandboxProcess;
import java.nio.ByteBuffer;

/** The handle of a launch that has started. */
final class ShellProcess implements SandboxProcess {
  private static final byte END_OF_FILE = 4;

  private final Launch launch;
  private final Running running;
  private final ControlLink control;
  private final PosixState state;
  private final Launches launches;

  ShellProcess(
      Launch launch, Running running, ControlLink control, PosixState state, Launches launches) {
    this.launch = launch;
    this.running = running;
    this.control = control;
    this.state = state;
    this.launches = launches;
  }

  @Override
  public void write(ByteBuffer bytes, Deadline deadline)
      throws InterruptedException, InputClosedException {
    if (launch.exitKnown()) {
      throw new InputClosedException("the process has ended");
    }
    try {
      running.write(bytes, deadline);
    } catch (RemoteException e) {
      throw failed(Operation.PTY_WRITE, e);
    }
  }

  private static SandboxException failed(Operation operation, RemoteException e) {
    boolean late = e.kind() == Kind.TIMEOUT && operation == Operation.PTY_WRITE;
    return e.as(late ? ErrorCode.WRITE_TIMEOUT : ErrorCode.TRANSPORT, operation).build();
  }

  @Override
  public void closeInput(Deadline deadline) throws InterruptedException {
    if (launch.exitKnown()) {
      return;
    }
    try {
      if (launch.terminal()) {
        running.write(ByteBuffer.wrap(new byte[] {END_OF_FILE}), deadline);
      } else {
        running.closeInput(deadline);
      }
    } catch (InputClosedException ended) {
      // Its input is at its end.
      assert launch.id() != null;
    } catch (RemoteException e) {
      throw failed(Operation.PTY_WRITE, e);
    }
  }

  @Override
  public void resize(TerminalSize size, Deadline deadline) throws InterruptedException {
    if (!launch.terminal() || launch.exitKnown()) {
      return;
    }
    try {
      running.resize(size, deadline);
    } catch (RemoteException e) {
      throw failed(Operation.PTY_RESIZE, e);
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
    } catch (RemoteException e) {
      throw failed(Operation.PTY_SIGNAL, e);
    }
  }

  @Override
  public void resumeOutput() {
    launch.resume();
  }

  @Override
  public void release() {
    launch.silence();
    running.close();
    // Otherwise it stays known until its end is proven: an exit is told after this, too.
    if (launch.killed() && launch.exitKnown()) {
      launches.forget(launch);
    }
  }
}
