package io.sandboxspi.core.session;

import io.sandboxspi.CallScope;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
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
import java.util.Optional;
import java.util.OptionalLong;
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

  CommandInput(SessionCore core, CommandEntry entry) {
    this.core = core;
    this.entry = entry;
  }

  /** Writes everything and ends the input, for as long as the command lives. On a lane. */
  boolean feed(byte[] bytes) throws InterruptedException {
    SandboxProcess process = entry.process().orElseThrow();
    ByteBuffer rest = ByteBuffer.wrap(bytes);
    try {
      while (rest.hasRemaining() && !entry.exited()) {
        try {
          process.write(rest, core.clock().deadline(STEP));
        } catch (SandboxException e) {
          if (e.code() != ErrorCode.WRITE_TIMEOUT) {
            throw e;
          }
          LOG.debug("{} takes its input slowly", entry);
        }
      }
      process.closeInput(core.clock().deadline(STEP));
      return true;
    } catch (InputClosedException ended) {
      LOG.debug("{} took no more input", entry, ended);
      return false;
    }
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
    run((process, deadline) -> process.write(copy, deadline));
  }

  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    if (!entry.exited() && !entry.killed()) {
      run(SandboxProcess::closeInput);
    }
  }

  /** A call to the process. */
  private interface Action {
    void run(SandboxProcess process, Deadline deadline)
        throws InterruptedException, InputClosedException;
  }

  /** Runs in turn, for as long as the caller's scope allows, or 30 s without a deadline there. */
  private void run(Action action) throws IOException {
    Duration limit =
        CallScope.current()
            .map(CallScope::remainingNanos)
            .filter(OptionalLong::isPresent)
            .map(left -> Duration.ofNanos(left.getAsLong()))
            .orElse(STEP);
    Deadline deadline = core.clock().deadline(limit);
    try (Caller caller = Caller.enter(core.clock())) {
      var turn = turns.take();
      try {
        check(caller.await(turn, deadline), caller);
        LaneTask<Boolean> task =
            core.work()
                .call(
                    () -> {
                      action.run(entry.process().orElseThrow(), deadline);
                      return true;
                    });
        entry.track(task);
        Caller.Wait wait = caller.await(task, deadline);
        if (wait != Caller.Wait.DONE) {
          task.interrupt();
        }
        check(wait, caller);
        raise(task.handle((ok, thrown) -> Optional.ofNullable(thrown)).join());
      } catch (InterruptedException e) {
        InterruptedIOException interrupted = new InterruptedIOException("interrupted");
        interrupted.initCause(e);
        throw interrupted;
      } finally {
        turns.leave(turn);
      }
    }
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

  private void raise(Optional<Throwable> outcome) throws IOException {
    if (outcome.isEmpty()) {
      return;
    }
    Throwable failure = outcome.get();
    if (failure instanceof InputClosedException || entry.killed() || entry.exited()) {
      throw new IOException("the command has ended", failure);
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
