package io.sandboxspi.core.session;

import io.sandboxspi.Capability;
import io.sandboxspi.Command;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExecResult;
import io.sandboxspi.Operation;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.Stdin;
import io.sandboxspi.core.time.Callback;
import io.sandboxspi.core.time.Caller;
import io.sandboxspi.core.time.LaneTask;
import io.sandboxspi.spi.LaunchRequest;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Runs commands: a launch without a registry entry, with a collector on it. */
final class Commands {
  private final SessionCore core;
  private final Launcher launcher;

  Commands(SessionCore core, Launcher launcher) {
    this.core = core;
    this.launcher = launcher;
  }

  ExecResult exec(Command command) throws InterruptedException {
    if (command.isStreaming() || command.stdin() instanceof Stdin.Pipe) {
      throw SandboxException.invalid(
          "command", "streaming or with piped input", "neither in exec; use start");
    }
    return core.events()
        .call(Operation.EXEC, command.argv().get(0), caller -> exec(command, caller));
  }

  private ExecResult exec(Command command, Caller caller) throws InterruptedException {
    CommandEntry entry = launch(command, Operation.EXEC, caller);
    if (caller.await(entry.done(), core.clock().never()) == Caller.Wait.CANCELLED) {
      core.reached(HookPoint.SETTLE_BEFORE, entry.id().value());
      caller.throwIfCancelled(core.helper().settle(core.end(List.of(entry)), caller));
    }
    return CommandHandle.outcome(entry);
  }

  CommandHandle start(EngineSession session, Command command) throws InterruptedException {
    return core.events()
        .call(
            Operation.COMMAND_START,
            command.argv().get(0),
            caller ->
                new CommandHandle(
                    session, core, command, launch(command, Operation.COMMAND_START, caller)));
  }

  private CommandEntry launch(Command command, Operation operation, Caller caller)
      throws InterruptedException {
    core.gate().check(operation);
    if (command.terminal().isPresent()) {
      core.require(Capability.TTY, operation);
    }
    boolean input = command.terminal().isPresent() || !(command.stdin() instanceof Stdin.None);
    if (input) {
      core.require(Capability.STDIN_AFTER_START, operation);
    }
    core.require(command.user(), operation);
    CommandEntry entry = new CommandEntry(command, core);
    launcher.launch(
        entry,
        new LaunchRequest(
            entry.id(),
            command.argv(),
            environment(core, command.environment()),
            command.workdir(),
            command.terminal(),
            input,
            command.user()),
        command.openTimeout(),
        operation,
        caller);
    try {
      command.timeout().ifPresent(timeout -> limit(entry, timeout));
      feed(command, entry);
    } catch (Throwable failure) { // rethrown; the process must not live on unlimited
      core.helper().cleanUpAfter(failure, core.end(List.of(entry)), caller);
      throw failure;
    }
    return entry;
  }

  static Map<String, String> environment(SessionCore core, Map<String, String> own) {
    Map<String, String> merged = new HashMap<>(core.environment());
    merged.putAll(own);
    return merged;
  }

  /** A process that has ended in time is not late because its output is still open. */
  private void limit(CommandEntry entry, Duration timeout) {
    entry.keep(
        core.clock()
            .schedule(
                timeout,
                () -> {
                  if (!entry.exited()
                      && entry.giveReason(partial -> timedOut(entry, timeout, partial))) {
                    core.end(List.of(entry));
                  }
                }));
  }

  private static SandboxException timedOut(
      CommandEntry entry, Duration timeout, ExecResult partial) {
    return SandboxException.builder(
            ErrorCode.EXEC_TIMEOUT,
            Operation.EXEC,
            entry.program() + " did not end in " + timeout + " and was killed")
        .context("timeout", timeout)
        .retryable(Retryable.NO)
        .partialResult(partial)
        .build();
  }

  /** A command that gets only part of its input would give a wrong result: it is ended. */
  private void feed(CommandEntry entry, CommandInput stream, byte[] bytes) {
    LaneTask<Boolean> task = core.work().call(() -> stream.feed(bytes));
    entry.track(task);
    Callback.when(
        task,
        (whole, failure) -> {
          if (failure != null
              && !entry.killed()
              && !entry.exited()
              && entry.giveReason(partial -> inputFailed(entry, failure))) {
            core.end(List.of(entry));
          }
        });
  }

  private static RuntimeException inputFailed(CommandEntry entry, Throwable failure) {
    if (failure instanceof SandboxException e && e.retryable() != Retryable.YES) {
      return e;
    }
    return SandboxException.builder(
            ErrorCode.TRANSPORT, Operation.EXEC, entry.program() + " did not get its input whole")
        .cause(failure)
        .retryable(Retryable.UNKNOWN)
        .build();
  }

  private void feed(Command command, CommandEntry entry) {
    if (command.stdin() instanceof Stdin.Bytes input) {
      CommandInput stream = new CommandInput(core, entry);
      feed(entry, stream, input.bytes());
    } else if (command.terminal().isPresent() && command.stdin() instanceof Stdin.None) {
      CommandInput stream = new CommandInput(core, entry);
      feed(entry, stream, new byte[0]);
    }
  }
}
