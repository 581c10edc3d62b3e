package io.sandboxspi.cli;

import io.sandboxspi.Command;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExecResult;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.TerminalSize;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Model.OptionSpec;

/** {@code sandbox run}: one command in a fresh sandbox (spec S-CLI-01). */
final class RunCommand extends SandboxCliCommand {
  RunCommand(Engine engine) {
    super(
        engine,
        "run",
        "Runs one command in a fresh sandbox; output, input and exit code pass through.",
        "",
        "Exit code: the command's; 128+n when signal n ended it; 124 timeout;",
        "125 the sandbox failed; 126 not executable; 127 not found; 2 usage.");
    declareRun(this);
    words(true, "CMD", "Program and arguments.");
  }

  /** Declares the options that say how a command runs. */
  static void declareRun(CliCommand command) {
    command.option(
        OptionSpec.builder("--timeout")
            .type(Duration.class)
            .converters(new Durations())
            .paramLabel("DURATION")
            .description("Kills the command after this time: 500ms, 30s, 2m, 1h."));
    command.flag("--tty", "Gives the command a terminal.");
  }

  @Override
  public Integer call() throws InterruptedException {
    try (ShutdownGuard guard = ShutdownGuard.open();
        OpenSandbox sandbox = open()) {
      return run(this, sandbox.session(), configured(Command.of(words())), guard);
    }
  }

  /** Runs a command to its end as the options say; its exit code. */
  static int run(CliCommand options, SandboxSession session, Command plain, ShutdownGuard guard)
      throws InterruptedException {
    Optional<Duration> timeout = options.value("--timeout");
    Command command = timeout.map(plain::timeout).orElse(plain);
    try {
      ExecResult result =
          options.has("--tty") ? onTerminal(session, command, guard) : onPipes(session, command);
      return ExitCodes.of(result.status());
    } catch (SandboxException failure) {
      throw failure.code() == ErrorCode.EXEC_TIMEOUT && timeout.isPresent()
          ? CliFailure.timeout(timeout.get(), failure)
          : failure;
    }
  }

  private static ExecResult onPipes(SandboxSession session, Command command)
      throws InterruptedException {
    return Passthrough.run(
        session, command, StandardStreams.input() == StandardStreams.Input.PIPED);
  }

  private static ExecResult onTerminal(SandboxSession session, Command command, ShutdownGuard guard)
      throws InterruptedException {
    boolean visible = StandardStreams.isTerminal(StandardStreams.OUT);
    Command sized = (visible ? withTerminalType(command) : command).terminal(window(visible));
    return switch (StandardStreams.input()) {
      case TERMINAL -> Passthrough.runRaw(session, sized, guard, () -> window(visible));
      case PIPED -> Passthrough.run(session, sized, true);
      case NONE -> Passthrough.run(session, sized, false);
    };
  }

  private static TerminalSize window(boolean visible) {
    return visible
        ? UserTerminal.size(StandardStreams.OUT).orElse(TerminalSize.DEFAULT)
        : TerminalSize.DEFAULT;
  }
}
