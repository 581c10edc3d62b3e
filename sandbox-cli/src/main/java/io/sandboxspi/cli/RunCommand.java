package io.sandboxspi.cli;

import io.sandboxspi.Command;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExecResult;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.TerminalSize;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sandbox run}: one command in a fresh sandbox (spec S-CLI-01). */
@picocli.CommandLine.Command(
    name = "run",
    description = "Runs one command in a fresh sandbox; output, input and exit code pass through.",
    footer = {
      "",
      "Exit code: the command's; 128+n when signal n ended it; 124 timeout; 125 the sandbox",
      "failed; 126 not executable; 127 not found; 2 usage."
    })
final class RunCommand implements Callable<Integer> {
  private final Engine engine;

  @Mixin private TargetOptions target = new TargetOptions();
  @Mixin private CommandOptions options = new CommandOptions();

  @Option(
      names = "--timeout",
      paramLabel = "DURATION",
      converter = Durations.class,
      description = "Kills the command after this time: 500ms, 30s, 2m, 1h.")
  private @Nullable Duration timeout;

  @Option(names = "--tty", description = "Gives the command a terminal.")
  private boolean tty;

  @Parameters(arity = "1..*", paramLabel = "CMD", description = "Program and arguments.")
  private List<String> argv = new ArrayList<>();

  RunCommand(Engine engine) {
    this.engine = engine;
  }

  @Override
  public Integer call() throws InterruptedException {
    Command command = options.applyTo(Command.of(argv));
    if (timeout != null) {
      command = command.timeout(timeout);
    }
    try (ShutdownGuard guard = ShutdownGuard.open();
        SandboxSession session = engine.open(target.provider(), target.spec())) {
      ExecResult result = tty ? withTerminal(session, command, guard) : plain(session, command);
      return ExitCodes.of(result.status());
    } catch (SandboxException failure) {
      throw failure.code() == ErrorCode.EXEC_TIMEOUT ? timedOut(failure) : failure;
    }
  }

  private static ExecResult plain(SandboxSession session, Command command)
      throws InterruptedException {
    return Passthrough.run(
        session, command, StandardStreams.input() == StandardStreams.Input.PIPED);
  }

  private ExecResult withTerminal(SandboxSession session, Command command, ShutdownGuard guard)
      throws InterruptedException {
    boolean visible = StandardStreams.isTerminal(StandardStreams.OUT);
    Command onTerminal =
        (visible ? options.withTerminalType(command) : command).terminal(window(visible));
    return switch (StandardStreams.input()) {
      case TERMINAL -> Passthrough.runRaw(session, onTerminal, guard, () -> window(visible));
      case PIPED -> Passthrough.run(session, onTerminal, true);
      case NONE -> Passthrough.run(session, onTerminal, false);
    };
  }

  private static TerminalSize window(boolean visible) {
    return visible
        ? UserTerminal.size(StandardStreams.OUT).orElse(TerminalSize.DEFAULT)
        : TerminalSize.DEFAULT;
  }

  private RuntimeException timedOut(SandboxException failure) {
    return timeout == null ? failure : CliFailure.timeout(timeout, failure);
  }
}
