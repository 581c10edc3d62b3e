package io.sandboxspi.core.session;

import io.sandboxspi.CapturedOutput;
import io.sandboxspi.Command;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExecResult;
import io.sandboxspi.ExitStatus;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.core.output.BoundedPipe;
import io.sandboxspi.core.output.HeadCapBuffer;
import io.sandboxspi.core.time.Suppressed;
import io.sandboxspi.spi.OutputChannel;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A command: its captured or streamed output and its result. */
final class CommandEntry extends ProcessEntry {
  private final long startedAt = System.nanoTime();
  private final boolean streaming;
  private final HeadCapBuffer stdout;
  private final HeadCapBuffer stderr;
  private final BoundedPipe stdoutPipe = new BoundedPipe(this::resume);
  private final BoundedPipe stderrPipe = new BoundedPipe(this::resume);
  private final CompletableFuture<ExecResult> done = new CompletableFuture<>();
  private @Nullable Function<ExecResult, RuntimeException> reason;
  private final AtomicBoolean resumed = new AtomicBoolean();
  private boolean ended;

  CommandEntry(Command command, Owner owner) {
    super(command.argv().get(0), owner);
    this.streaming = command.isStreaming();
    this.stdout = new HeadCapBuffer(command.captureLimit());
    this.stderr = new HeadCapBuffer(command.captureLimit());
  }

  /** The result; completes on threads of the backend and the session, so nothing may hang on it. */
  CompletableFuture<ExecResult> done() {
    return done;
  }

  BoundedPipe stdoutPipe() {
    return stdoutPipe;
  }

  BoundedPipe stderrPipe() {
    return stderrPipe;
  }

  @Override
  boolean store(OutputChannel channel, ByteBuffer bytes) {
    boolean out = channel == OutputChannel.STDOUT;
    if (streaming) {
      return (out ? stdoutPipe : stderrPipe).offer(bytes);
    }
    (out ? stdout : stderr).append(bytes);
    return true;
  }

  private void resume() {
    resumed.set(true);
    resumeOutput();
  }

  /** From a reader's catching up on the backend has the whole drain bound for the rest. */
  @Override
  boolean backlogged() {
    boolean lately = resumed.getAndSet(false);
    return lately || stdoutPipe.isPaused() || stderrPipe.isPaused();
  }

  @Override
  void outputEnded(boolean complete) {
    stdoutPipe.end();
    stderrPipe.end();
  }

  /**
   * Why the command is ended; the first counts.
   *
   * @param why makes the failure from what the command had printed
   */
  boolean giveReason(Function<ExecResult, RuntimeException> why) {
    synchronized (lock) {
      if (reason != null || ended || done.isDone()) {
        return false;
      }
      reason = why;
      return true;
    }
  }

  /** It ended by itself. */
  void completeNormally() {
    synchronized (lock) {
      ended = reason == null && !killed();
      if (!ended) {
        return;
      }
    }
    done.complete(result());
  }

  @Override
  void cleanupSettled(Optional<Throwable> failure) {
    if (done.isDone()) {
      return;
    }
    Function<ExecResult, RuntimeException> why;
    synchronized (lock) {
      why = reason;
    }
    if (why == null && !killed()) {
      done.complete(result());
      wakeWatchers();
      return;
    }
    RuntimeException end = why == null ? endedBySession() : why.apply(result());
    failure.ifPresent(other -> Suppressed.add(end, other));
    done.completeExceptionally(end);
    wakeWatchers();
  }

  private static SandboxException endedBySession() {
    return SandboxException.of(
        ErrorCode.SESSION_CLOSED, Operation.EXEC, "the session ended the command");
  }

  private ExecResult result() {
    synchronized (lock) {
      return new ExecResult(
          exit().orElseGet(() -> new ExitStatus.Lost("no exit was seen")),
          captured(stdout),
          captured(stderr),
          Duration.ofNanos(System.nanoTime() - startedAt),
          outputIncomplete());
    }
  }

  private static CapturedOutput captured(HeadCapBuffer buffer) {
    return buffer.totalBytes() == 0
        ? CapturedOutput.empty()
        : CapturedOutput.of(buffer.toByteArray(), buffer.totalBytes());
  }
}
