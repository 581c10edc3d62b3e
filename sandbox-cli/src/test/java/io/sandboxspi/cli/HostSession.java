package io.sandboxspi.cli;

import io.sandboxspi.Capability;
import io.sandboxspi.CapturedOutput;
import io.sandboxspi.Command;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExecResult;
import io.sandboxspi.ExitStatus;
import io.sandboxspi.Operation;
import io.sandboxspi.Ptys;
import io.sandboxspi.RunningCommand;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxFiles;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.SessionState;
import io.sandboxspi.Signal;
import io.sandboxspi.Stdin;
import io.sandboxspi.TerminalSize;
import io.sandboxspi.spi.BackendRef;
import io.sandboxspi.spi.Liveness;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A stand-in for a session: commands are plain processes of this machine, without a terminal. */
final class HostSession implements SandboxSession {
  @Override
  public RunningCommand start(Command command) {
    ProcessBuilder builder = new ProcessBuilder(command.argv());
    builder.environment().putAll(command.environment());
    try {
      return new HostCommand(command, builder.start());
    } catch (IOException missing) {
      throw SandboxException.of(
          ErrorCode.COMMAND_NOT_FOUND, Operation.COMMAND_START, command.argv().get(0) + ": no");
    }
  }

  private record HostCommand(Command command, Process process) implements RunningCommand {
    HostCommand {
      if (command.stdin() instanceof Stdin.None) {
        try {
          process.getOutputStream().close();
        } catch (IOException ended) {
          throw new IllegalStateException(ended);
        }
      }
    }

    @Override
    public String id() {
      return "host";
    }

    @Override
    public OutputStream stdin() {
      return process.getOutputStream();
    }

    @Override
    public InputStream stdout() {
      return process.getInputStream();
    }

    @Override
    public InputStream stderr() {
      return process.getErrorStream();
    }

    @Override
    public ExecResult await() throws InterruptedException {
      Duration limit = command.timeout().orElse(Duration.ofDays(1));
      if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly();
        throw SandboxException.of(ErrorCode.EXEC_TIMEOUT, Operation.EXEC, "too long");
      }
      return new ExecResult(
          new ExitStatus.Exited(process.exitValue()),
          CapturedOutput.empty(),
          CapturedOutput.empty(),
          Duration.ZERO,
          false);
    }

    @Override
    public Optional<ExecResult> await(Duration limit) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<ExecResult> result() {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean cancel(RuntimeException reason) {
      process.destroyForcibly();
      return true;
    }

    @Override
    public void signal(Signal signal) {}

    @Override
    public void resize(TerminalSize size) {}

    @Override
    public void close() {
      process.destroyForcibly();
    }
  }

  @Override
  public String id() {
    return "host";
  }

  @Override
  public String provider() {
    return "host";
  }

  @Override
  public Set<Capability> capabilities() {
    return Set.of();
  }

  @Override
  public BackendRef backend() {
    return new BackendRef("host", Map.of());
  }

  @Override
  public SessionState state() {
    return SessionState.ACTIVE;
  }

  @Override
  public ExecResult exec(Command command) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Ptys ptys() {
    throw new UnsupportedOperationException();
  }

  @Override
  public SandboxFiles files() {
    throw new UnsupportedOperationException();
  }

  @Override
  public Liveness probe() {
    return Liveness.RUNNING;
  }

  @Override
  public void stop() {}

  @Override
  public void shutdown() {}

  @Override
  public void close() {}
}
