package io.sandboxspi.core.session;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.core.time.Caller;
import io.sandboxspi.core.time.LaneTask;
import io.sandboxspi.spi.InputClosedException;
import io.sandboxspi.spi.SandboxProcess;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
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
    } catch (SandboxException e) {
      // The command goes on with what it got; its result tells whether that was enough.
      LOG.warn("{}: input failed: {}", entry, e.code());
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
    ByteBuffer copy = ByteBuffer.wrap(bytes.clone(), offset, length);
    run(
        () -> {
          entry.process().orElseThrow().write(copy, core.clock().deadline(STEP));
          return true;
        });
  }

  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    if (entry.exited() || entry.killed()) {
      return;
    }
    run(
        () -> {
          entry.process().orElseThrow().closeInput(core.clock().deadline(STEP));
          return true;
        });
  }

  private void run(Callable<Boolean> action) throws IOException {
    try (Caller caller = Caller.enter(core.clock())) {
      var turn = turns.take();
      try {
        caller.await(turn, core.clock().deadline(STEP));
        caller.throwIfCancelled(List.of());
        LaneTask<Boolean> task = core.work().call(action);
        entry.track(task);
        Caller.Wait wait = caller.await(task, core.clock().deadline(STEP.plusSeconds(1)));
        if (wait != Caller.Wait.DONE) {
          task.interrupt();
        }
        if (wait == Caller.Wait.CANCELLED) {
          caller.throwIfCancelled(List.of());
        }
        raise(task, wait);
      } catch (InterruptedException e) {
        InterruptedIOException interrupted = new InterruptedIOException("interrupted");
        interrupted.initCause(e);
        throw interrupted;
      } finally {
        turns.leave(turn);
      }
    }
  }

  private void raise(LaneTask<Boolean> task, Caller.Wait wait) throws IOException {
    if (wait == Caller.Wait.DEADLINE) {
      throw new IOException("the command takes no input");
    }
    Throwable failure = task.handle((ok, thrown) -> thrown).join();
    if (failure instanceof InputClosedException || (failure != null && entry.killed())) {
      throw new IOException("the command has ended", failure);
    }
    if (failure instanceof RuntimeException e) {
      throw e;
    }
    if (failure != null) {
      throw SandboxException.builder(ErrorCode.TRANSPORT, Operation.EXEC, "writing input failed")
          .cause(failure)
          .build();
    }
  }
}
