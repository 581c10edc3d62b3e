package io.sandboxspi.tck.fault;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.Signal;
import io.sandboxspi.TerminalSize;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.InputClosedException;
import io.sandboxspi.spi.LaunchId;
import io.sandboxspi.spi.SandboxProcess;
import java.nio.ByteBuffer;
import java.util.Optional;

/** Wraps a process. Made by {@link FaultyBackend}. */
public final class FaultyProcess implements SandboxProcess {
  private final LaunchId id;
  private final String tag;
  private final SandboxProcess delegate;
  private final FaultyListener listener;
  private final FaultySeam seam;

  FaultyProcess(
      LaunchId id, String tag, SandboxProcess delegate, FaultyListener listener, FaultySeam seam) {
    this.id = id;
    this.tag = tag;
    this.delegate = delegate;
    this.listener = listener;
    this.seam = seam;
    listener.attach(delegate);
  }

  /** The launch id. */
  public LaunchId id() {
    return id;
  }

  /** The tag; empty if the launch has none. */
  public String tag() {
    return tag;
  }

  /** Breaks the connection now: the engine hears that the process is lost, and nothing more. */
  public void dropConnection() {
    listener.lose();
  }

  @Override
  public void write(ByteBuffer bytes, Deadline deadline)
      throws InterruptedException, InputClosedException {
    Optional<FaultPlan.Match> before = seam.meet(FaultPoint.SEND_BEFORE, tag, "");
    if (before.isPresent()) {
      if (before.get().action() instanceof FaultAction.Drop) {
        listener.lose();
      } else {
        Optional<Object> ignored = FaultySeam.act(before.get().action());
      }
    }
    checkConnection();
    Optional<FaultPlan.Match> partial = seam.meet(FaultPoint.SEND_PARTIAL, tag, "");
    if (partial.isPresent()) {
      int n = Math.min(partial.get().rule().bytesFirst(), bytes.remaining());
      ByteBuffer head = bytes.slice(bytes.position(), n);
      delegate.write(head, deadline);
      bytes.position(bytes.position() + n);
      Optional<Object> ignored = FaultySeam.act(partial.get().action());
    }
    delegate.write(bytes, deadline);
    Optional<Object> ignored = seam.at(FaultPoint.SEND_AFTER, tag);
  }

  @Override
  public void closeInput(Deadline deadline) throws InterruptedException {
    Optional<Object> ignored = seam.at(FaultPoint.CLOSE_INPUT_BEFORE, tag);
    checkConnection();
    delegate.closeInput(deadline);
  }

  @Override
  public void resize(TerminalSize size, Deadline deadline) throws InterruptedException {
    delegate.resize(size, deadline);
  }

  @Override
  public void signal(Signal signal, Deadline deadline) throws InterruptedException {
    delegate.signal(signal, deadline);
  }

  @Override
  public void resumeOutput() {
    if (listener.resume()) {
      delegate.resumeOutput();
    }
  }

  @Override
  public void release() {
    seam.quietly(FaultPoint.RELEASE_BEFORE, tag);
    listener.mute();
    delegate.release();
    seam.quietly(FaultPoint.RELEASE_RETURN, tag);
  }

  private void checkConnection() {
    if (listener.lost()) {
      throw SandboxException.builder(
              ErrorCode.TRANSPORT, Operation.PTY_WRITE, "the connection is broken")
          .retryable(Retryable.UNKNOWN)
          .build();
    }
  }
}
