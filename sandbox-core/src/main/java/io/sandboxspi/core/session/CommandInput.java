package io.sandboxspi.core.session;

import io.sandboxspi.CallScope;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.Registration;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.core.time.Callback;
import io.sandboxspi.core.time.Caller;
import io.sandboxspi.core.time.LaneTask;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.InputClosedException;
import io.sandboxspi.spi.SandboxProcess;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The input of a command as a stream. Writes from several threads are not interleaved. */
final class CommandInput extends OutputStream {
  private static final Logger LOG = LoggerFactory.getLogger(CommandInput.class);

  /** One write to the backend; a process that reads slowly gets another. */
  private static final Duration STEP = Duration.ofSeconds(30);

  private final SessionCore core;
  private final CommandEntry entry;
  private final Turns turns = new Turns();
  private volatile boolean closed;
  private volatile boolean ended;

  CommandInput(SessionCore core, CommandEntry entry) {
    this.core = core;
    this.entry = entry;
  }

  /**
   * Writes everything and ends the input, for as long as the command lives. On a lane.
   *
   * @return whether the command took it all
   */
  boolean feed(byte[] bytes) throws InterruptedException {
    SandboxProcess process = entry.process().orElseThrow();
    ByteBuffer rest = ByteBuffer.wrap(bytes);
    boolean whole = false;
    try {
      while (!whole && !entry.exited()) {
        Deadline step = core.clock().deadline(STEP);
        try {
          if (rest.hasRemaining()) {
            process.write(rest, step);
          }
          process.closeInput(step);
          whole = true;
        } catch (SandboxException e) {
          if (e.code() != ErrorCode.WRITE_TIMEOUT) {
            throw e;
          }
          LOG.debug("{} takes its input slowly", entry);
        }
      }
    } catch (InputClosedException ended) {
      LOG.debug("{} took no more input", entry, ended);
    }
    return whole;
  }

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, bytes.length);
    if (closed) {
      throw new IOException("the input is closed");
    }
    ByteBuffer copy = ByteBuffer.wrap(Arrays.copyOfRange(bytes, offset, offset + length));
    if (!run((process, deadline) -> process.write(copy, deadline))) {
      throw new IOException("the command has ended");
    }
  }

  @Override
  public void close() throws IOException {
    closed = true;
    if (!ended && !over()) {
      // A command that ends of it, before the call has returned, has seen the end of its input.
      boolean unused = run(SandboxProcess::closeInput);
    }
    ended = true;
  }

  private boolean over() {
    return entry.exited() || entry.killed();
  }

  /** A call to the process. */
  private interface Action {
    void run(SandboxProcess process, Deadline deadline)
        throws InterruptedException, InputClosedException;
  }

  /**
   * Runs in turn, for as long as the caller's scope allows, or 30 s without a deadline there.
   *
   * @return false if the command ended first
   */
  private boolean run(Action action) throws IOException {
    Duration limit =
        CallScope.current()
            .map(CallScope::remainingNanos)
            .filter(OptionalLong::isPresent)
            .map(left -> Duration.ofNanos(left.getAsLong()))
            .orElse(STEP);
    Deadline deadline = core.clock().deadline(limit);
    try (Caller caller = Caller.enter(core.clock());
        Registration watch = entry.watching(caller::wake)) {
      LaneTask<Boolean> task = inTurn(action, deadline, caller);
      check(until(task, deadline, caller), caller);
      return done(task.isDone() ? task.handle((ok, thrown) -> thrown).join() : commandEnded());
    } catch (InputClosedException e) {
      return done(e);
    } catch (InterruptedException e) {
      InterruptedIOException interrupted = new InterruptedIOException("interrupted");
      interrupted.initCause(e);
      throw interrupted;
    }
  }

  /** Begins the call in its turn, which it has until it ends, be its caller there or not. */
  private LaneTask<Boolean> inTurn(Action action, Deadline deadline, Caller caller)
      throws InterruptedException, InputClosedException {
    CompletableFuture<Boolean> turn = turns.take();
    boolean begun = false;
    try {
      check(until(turn, deadline, caller), caller);
      if (!turn.isDone()) {
        throw commandEnded();
      }
      LaneTask<Boolean> task =
          core.work()
              .call(
                  () -> {
                    action.run(entry.process().orElseThrow(), deadline);
                    return true;
                  });
      begun = true;
      entry.track(task);
      Callback.when(task, (ok, failure) -> turns.leave(turn));
      return task;
    } finally {
      if (!begun) {
        turns.leave(turn);
      }
    }
  }

  private Caller.Wait until(CompletableFuture<?> done, Deadline deadline, Caller caller) {
    Callback.when(done, (ok, failure) -> caller.wake());
    Caller.Wait wait = caller.await(() -> done.isDone() || over(), deadline);
    if (!done.isDone() && done instanceof LaneTask<?> task) {
      task.interrupt();
    }
    return wait;
  }

  private static InputClosedException commandEnded() {
    return new InputClosedException("the command has ended");
  }

  private static void check(Caller.Wait wait, Caller caller) throws InterruptedException {
    if (wait == Caller.Wait.CANCELLED) {
      caller.throwIfCancelled(List.of());
    }
    if (wait == Caller.Wait.DEADLINE) {
      throw SandboxException.builder(
              ErrorCode.WRITE_TIMEOUT, Operation.EXEC, "the command did not take its input in time")
          .retryable(Retryable.UNKNOWN)
          .build();
    }
  }

  /** Whether it was done; false if the command ended first. */
  private boolean done(@Nullable Throwable failure) {
    if (failure == null) {
      return true;
    }
    if (failure instanceof InputClosedException || over()) {
      LOG.debug("{} took no more input", entry, failure);
      return false;
    }
    if (failure instanceof RuntimeException e) {
      throw e;
    }
    throw SandboxException.builder(ErrorCode.TRANSPORT, Operation.EXEC, "writing input failed")
        .cause(failure)
        .retryable(Retryable.UNKNOWN)
        .build();
  }
}
