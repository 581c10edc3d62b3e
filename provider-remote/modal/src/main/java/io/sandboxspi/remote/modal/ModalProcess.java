package io.sandboxspi.remote.modal;

import com.google.protobuf.ByteString;
import io.sandboxspi.ExitStatus;
import io.sandboxspi.TerminalSize;
import io.sandboxspi.remote.modal.Rpc.Again;
import io.sandboxspi.remote.modal.wire.TaskCommandRouter;
import io.sandboxspi.remote.modal.wire.TaskExecStdinStatusResponse;
import io.sandboxspi.remote.modal.wire.TaskExecStdioFileDescriptor;
import io.sandboxspi.remote.modal.wire.TaskExecWaitRequest;
import io.sandboxspi.remote.modal.wire.TaskExecWaitResponse;
import io.sandboxspi.remote.shell.Machine.State;
import io.sandboxspi.remote.shell.Output;
import io.sandboxspi.remote.shell.Running;
import io.sandboxspi.remote.transport.ConnectCode;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.remote.transport.Serial;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.InputClosedException;
import io.sandboxspi.spi.OutputChannel;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * A process that the router has started. Input goes by its offset, so that a lost answer neither
 * loses nor repeats a byte; output comes by {@link StdioReader}. The router has no call that ends a
 * process or changes a terminal's size: both are done by a command in the sandbox.
 */
final class ModalProcess implements Running {
  private static final int INPUT_CHUNK = 1 << 20;
  private static final Duration WAIT = Duration.ofSeconds(60);
  private static final Duration PATIENCE = Duration.ofMillis(500);
  private static final Duration EVIDENCE = Duration.ofSeconds(20);

  private final Router router;
  private final String exec;
  private final Output output;
  private final Executor executor;
  private final Hands hands;
  private final Serial serial = new Serial();
  private final Semaphore turn = new Semaphore(1, true);
  private final List<StdioReader> readers = new ArrayList<>();

  // Of the turn
  private long sent;
  private boolean uncertain;

  // Of the serial
  private int open;
  private boolean full;
  private boolean ended;

  private volatile boolean over;
  private volatile boolean closed;

  /** What the router has no call for. */
  interface Hands {
    /** Changes the size of the process's terminal. */
    void resize(TerminalSize size, Deadline deadline) throws InterruptedException;

    /** Ends the process and its children. */
    void end(Deadline deadline) throws InterruptedException;
  }

  ModalProcess(Router router, String exec, Output output, Executor executor, Hands hands) {
    this.router = router;
    this.exec = exec;
    this.output = output;
    this.executor = executor;
    this.hands = hands;
  }

  /**
   * Begins to read; the process has been started.
   *
   * @param terminal whether everything comes on standard output
   * @param control whether it is a control shell
   */
  void begin(boolean terminal, boolean control) {
    read(TaskExecStdioFileDescriptor.TASK_EXEC_STDIO_FILE_DESCRIPTOR_STDOUT, control);
    if (!terminal) {
      read(TaskExecStdioFileDescriptor.TASK_EXEC_STDIO_FILE_DESCRIPTOR_STDERR, control);
    }
    open = readers.size();
    readers.forEach(StdioReader::open);
  }

  private void read(TaskExecStdioFileDescriptor descriptor, boolean control) {
    OutputChannel channel =
        descriptor == TaskExecStdioFileDescriptor.TASK_EXEC_STDIO_FILE_DESCRIPTOR_STDERR
            ? OutputChannel.STDERR
            : OutputChannel.STDOUT;
    readers.add(
        new StdioReader(
            router,
            exec,
            descriptor,
            control,
            serial,
            executor,
            new StdioReader.Sink() {
              @Override
              public boolean ready() {
                return !full;
              }

              @Override
              public boolean onBytes(ByteBuffer bytes) {
                full = !output.onOutput(channel, bytes);
                return !full;
              }

              @Override
              public void onEnd(Optional<RemoteException> broken) {
                streamEnded(broken);
              }
            }));
  }

  private void streamEnded(Optional<RemoteException> broken) {
    open--;
    if (broken.isPresent()) {
      finish(Output.End.broken(broken.get()));
    } else if (open == 0 && !ended && !closed) {
      executor.execute(this::awaitExit);
    }
  }

  private void finish(Output.End how) {
    if (!ended && !closed) {
      ended = true;
      over = true;
      readers.forEach(StdioReader::close);
      output.onEnd(how);
    }
  }

  /** Output is over; the code comes by another call. On a thread that may block. */
  private void awaitExit() {
    try {
      Output.End how = exit();
      serial.execute(() -> finish(how));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Output.End exit() throws InterruptedException {
    while (!closed) {
      try {
        return new Output.End(status(await(Deadline.after(WAIT))), Optional.empty());
      } catch (RemoteException e) {
        if (!Failures.transientOne(e) || gone()) {
          return Output.End.broken(e);
        }
      }
      boolean unused = new CountDownLatch(1).await(1, TimeUnit.SECONDS);
    }
    return Output.End.broken(new RemoteException(Kind.CLOSED, "it was given up"));
  }

  private TaskExecWaitResponse await(Deadline deadline) throws InterruptedException {
    return router.call(
        "waiting for the process",
        TaskCommandRouter.TASK_EXEC_WAIT,
        task -> TaskExecWaitRequest.newBuilder().setTaskId(task).setExecId(exec).build(),
        Again.NO,
        deadline);
  }

  /** Without a machine nobody would ever answer. */
  private boolean gone() throws InterruptedException {
    try {
      return router.plane().state(router.sandbox(), Deadline.after(EVIDENCE)) == State.GONE;
    } catch (RemoteException unknown) {
      return false;
    }
  }

  static Optional<ExitStatus> status(TaskExecWaitResponse answer) {
    return switch (answer.getExitStatusCase()) {
      case CODE ->
          answer.getCode() >= 0 && answer.getCode() <= 255
              ? Optional.of(new ExitStatus.Exited(answer.getCode()))
              : Optional.empty();
      case SIGNAL ->
          answer.getSignal() >= 1 && answer.getSignal() <= 127
              ? Optional.of(new ExitStatus.Signalled(answer.getSignal()))
              : Optional.empty();
      case EXITSTATUS_NOT_SET -> Optional.empty();
    };
  }

  @Override
  public void write(ByteBuffer bytes, Deadline deadline)
      throws InterruptedException, InputClosedException {
    hold(deadline);
    try {
      while (bytes.hasRemaining()) {
        send(ByteString.copyFrom(bytes, Math.min(INPUT_CHUNK, bytes.remaining())), false, deadline);
      }
    } finally {
      turn.release();
    }
  }

  private void hold(Deadline deadline) throws InterruptedException {
    if (!turn.tryAcquire(deadline.remainingNanos(), TimeUnit.NANOSECONDS)) {
      throw new RemoteException(Kind.TIMEOUT, "the input was not taken before the deadline");
    }
  }

  private void send(ByteString data, boolean eof, Deadline deadline)
      throws InterruptedException, InputClosedException {
    boolean done = false;
    try {
      if (uncertain) {
        TaskExecStdinStatusResponse status = router.stdinStatus(exec, deadline);
        sent = status.getNumBytesWritten();
        uncertain = false;
      }
      router.stdin(exec, sent, data, eof, deadline);
      sent += data.size();
      done = true;
    } catch (RemoteException e) {
      boolean takesNoMore =
          ControlPlane.gone(e) || Failures.refused(e, ConnectCode.FAILED_PRECONDITION);
      if (!takesNoMore) {
        throw e;
      }
      InputClosedException gone = new InputClosedException("the process takes no more input");
      gone.initCause(e);
      throw gone;
    } finally {
      // Some of it may have come.
      uncertain = uncertain || !done;
    }
  }

  @Override
  public void closeInput(Deadline deadline) throws InterruptedException {
    if (over) {
      return;
    }
    hold(deadline);
    try {
      send(ByteString.EMPTY, true, deadline);
    } catch (InputClosedException ended) {
      // Its input is at its end.
      assert ended.getMessage() != null;
    } finally {
      turn.release();
    }
  }

  @Override
  public void resize(TerminalSize size, Deadline deadline) throws InterruptedException {
    if (!over) {
      hands.resize(size, deadline);
    }
  }

  /** A shell that waits for input ends with it; for another one the sandbox is searched. */
  @Override
  public void end(Deadline deadline) throws InterruptedException {
    if (over) {
      return;
    }
    try {
      closeInput(deadline);
      TaskExecWaitResponse unused = await(Deadline.after(PATIENCE));
    } catch (RemoteException e) {
      if (!ControlPlane.gone(e)) {
        hands.end(deadline);
      }
    }
  }

  @Override
  public void resume() {
    serial.execute(
        () -> {
          full = false;
          readers.forEach(StdioReader::resume);
        });
  }

  @Override
  public void close() {
    closed = true;
    serial.execute(() -> readers.forEach(StdioReader::close));
  }
}
