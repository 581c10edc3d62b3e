package io.sandboxspi.core.session;

import io.sandboxspi.Capability;
import io.sandboxspi.Command;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExecResult;
import io.sandboxspi.Operation;
import io.sandboxspi.Registration;
import io.sandboxspi.RunningCommand;
import io.sandboxspi.SandboxException;
import io.sandboxspi.Signal;
import io.sandboxspi.Stdin;
import io.sandboxspi.TerminalSize;
import io.sandboxspi.core.pty.PtyCleanupHelper;
import io.sandboxspi.core.time.Callback;
import io.sandboxspi.core.time.Caller;
import io.sandboxspi.spi.Deadline;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A command in the background. Keeps its session reachable. */
final class CommandHandle implements RunningCommand {
  private final EngineSession session;
  private final SessionCore core;
  private final Command command;
  private final CommandEntry entry;
  private final OutputStream stdin;
  private @Nullable CompletableFuture<ExecResult> result;

  CommandHandle(EngineSession session, SessionCore core, Command command, CommandEntry entry) {
    this.session = session;
    this.core = core;
    this.command = command;
    this.entry = entry;
    this.stdin = new CommandInput(core, entry);
  }

  @Override
  public String id() {
    return entry.id().value();
  }

  @Override
  public OutputStream stdin() {
    if (!(command.stdin() instanceof Stdin.Pipe)) {
      throw SandboxException.of(
          ErrorCode.STDIN_UNAVAILABLE, Operation.EXEC, "the command was started without a pipe");
    }
    return stdin;
  }

  @Override
  public InputStream stdout() {
    requireStreaming();
    return new KeepingStream(entry.stdoutPipe().input(), this);
  }

  @Override
  public InputStream stderr() {
    requireStreaming();
    return new KeepingStream(entry.stderrPipe().input(), this);
  }

  private void requireStreaming() {
    if (!command.isStreaming()) {
      throw SandboxException.of(
          ErrorCode.UNSUPPORTED, Operation.EXEC, "the command keeps its output; use streaming()");
    }
  }

  @Override
  public ExecResult await() throws InterruptedException {
    return await(core.clock().never()).orElseThrow();
  }

  @Override
  public Optional<ExecResult> await(Duration limit) throws InterruptedException {
    return await(core.clock().deadline(limit));
  }

  private Optional<ExecResult> await(Deadline deadline) throws InterruptedException {
    // Not a follower of the future: a command may be asked for years.
    try (Caller caller = Caller.enter(core.clock());
        Registration watch = entry.watching(caller::wake)) {
      return switch (caller.await(entry.done()::isDone, deadline)) {
        case DONE -> Optional.of(outcome(entry));
        case DEADLINE -> Optional.empty();
        case CANCELLED -> {
          caller.throwIfCancelled(List.of());
          yield Optional.empty();
        }
      };
    }
  }

  CommandEntry entry() {
    return entry;
  }

  /** The result of a command that is done, or its failure. */
  static ExecResult outcome(CommandEntry entry) {
    Throwable failure = entry.done().handle((result, thrown) -> thrown).join();
    if (failure instanceof RuntimeException e) {
      throw e;
    }
    return entry.done().join();
  }

  @Override
  public CompletableFuture<ExecResult> result() {
    synchronized (entry) {
      if (result == null) {
        result = newResult();
      }
      return result;
    }
  }

  private CompletableFuture<ExecResult> newResult() {
    CompletableFuture<ExecResult> copy =
        new CompletableFuture<>() {
          @Override
          public boolean cancel(boolean mayInterrupt) {
            CancellationException reason = new CancellationException("the result was cancelled");
            boolean first = CommandHandle.this.cancel(reason);
            return super.cancel(mayInterrupt) || first;
          }
        };
    Callback.when(
        entry.done(),
        (result, failure) -> {
          // Not on a backend's thread, unless there is no other: whoever waits must be told.
          Callback.when(
              core.work().call(() -> tell(copy, result, failure)),
              (told, noThread) -> tell(copy, result, failure));
        });
    return copy;
  }

  private static boolean tell(
      CompletableFuture<ExecResult> copy,
      @Nullable ExecResult result,
      @Nullable Throwable failure) {
    return failure == null ? copy.complete(result) : copy.completeExceptionally(failure);
  }

  @Override
  public boolean cancel(RuntimeException reason) {
    if (!entry.giveReason(partial -> reason)) {
      return false;
    }
    core.end(List.of(entry));
    return true;
  }

  @Override
  public void signal(Signal signal) {
    core.require(Capability.SIGNALS, Operation.PTY_SIGNAL);
    BriefCall.run(
        core, entry, Operation.PTY_SIGNAL, (process, deadline) -> process.signal(signal, deadline));
  }

  @Override
  public void resize(TerminalSize size) {
    if (command.terminal().isPresent()) {
      core.require(Capability.RESIZE, Operation.PTY_RESIZE);
      BriefCall.run(
          core, entry, Operation.PTY_RESIZE, (process, deadline) -> process.resize(size, deadline));
    }
  }

  @Override
  public void close() {
    entry.stdoutPipe().end();
    entry.stderrPipe().end();
    try (Caller caller = Caller.enter(core.clock())) {
      PtyCleanupHelper.throwFirst(core.helper().settle(core.end(List.of(entry)), caller));
    }
  }

  @Override
  public String toString() {
    return "RunningCommand[" + id() + ", session=" + session.id() + "]";
  }
}
