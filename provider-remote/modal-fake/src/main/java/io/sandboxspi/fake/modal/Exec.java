package io.sandboxspi.fake.modal;

import io.grpc.Status;
import io.sandboxspi.fake.Posix;
import io.sandboxspi.fake.RealProcess;
import io.sandboxspi.remote.modal.wire.PTYInfo;
import io.sandboxspi.remote.modal.wire.TaskExecStartRequest;
import io.sandboxspi.remote.modal.wire.TaskExecStderrConfig;
import io.sandboxspi.remote.modal.wire.TaskExecStdoutConfig;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** One process as the router knows it. Thread-safe. */
final class Exec implements RealProcess.Listener {
  private static final long IDLE_TERMINAL_SECONDS = 40;

  private final FakeSandbox sandbox;
  private final TaskExecStartRequest request;
  private final Stdio out;
  private final Stdio err;
  private final RealProcess process;
  private final CompletableFuture<int[]> exit = new CompletableFuture<>();
  private final ReentrantLock input = new ReentrantLock(true);
  private long written;
  private boolean closed;
  private @Nullable ScheduledFuture<?> idle;

  Exec(FakeSandbox sandbox, TaskExecStartRequest request) throws IOException {
    this.sandbox = sandbox;
    this.request = request;
    this.out = new Stdio(sandbox.outputs().resolve(request.getExecId() + ".out"));
    this.err = new Stdio(sandbox.outputs().resolve(request.getExecId() + ".err"));
    boolean terminal = request.hasPtyInfo() && request.getPtyInfo().getEnabled();
    List<String> argv = new ArrayList<>();
    if (!terminal) {
      // A session of its own, without a child in between.
      argv.add("setsid");
    }
    argv.addAll(request.getCommandArgsList());
    PTYInfo size = request.getPtyInfo();
    this.process =
        RealProcess.start(
            new RealProcess.Spec(
                argv,
                environment(),
                request.hasWorkdir() ? request.getWorkdir() : sandbox.workdir(),
                terminal
                    ? Optional.of(new int[] {size.getWinszCols(), size.getWinszRows()})
                    : Optional.empty(),
                true),
            this);
    process.begin();
    if (request.hasTimeoutSecs()) {
      var unused =
          sandbox.timer().schedule(this::timedOut, request.getTimeoutSecs(), TimeUnit.SECONDS);
    }
    if (terminal && !size.getNoTerminateOnIdleStdin()) {
      rearm();
    }
  }

  private Map<String, String> environment() {
    Map<String, String> environment = new HashMap<>(sandbox.environment());
    PTYInfo terminal = request.getPtyInfo();
    put(environment, "TERM", terminal.getEnvTerm());
    put(environment, "COLORTERM", terminal.getEnvColorterm());
    environment.putAll(request.getEnvMap());
    sandbox.secrets(request.getSecretIdsList(), request.getSecretSourcesList(), environment);
    return environment;
  }

  private static void put(Map<String, String> environment, String name, String value) {
    if (!value.isEmpty()) {
      environment.put(name, value);
    }
  }

  private synchronized void rearm() {
    if (idle != null) {
      idle.cancel(false);
    }
    idle = sandbox.timer().schedule(this::kill, IDLE_TERMINAL_SECONDS, TimeUnit.SECONDS);
  }

  private void timedOut() {
    kill();
  }

  /** The whole group, as the leader of which it was started. */
  private void kill() {
    if (!exit.isDone()) {
      boolean unused = Posix.signal(-process.pid(), Posix.KILL);
    }
  }

  Stdio stdout() {
    return out;
  }

  Stdio stderr() {
    return err;
  }

  /** Its code and its signal, once it has ended. */
  CompletableFuture<int[]> exit() {
    return exit;
  }

  @Override
  public void onOutput(int stream, byte[] bytes) {
    boolean error = stream == RealProcess.STDERR;
    boolean wanted =
        error
            ? request.getStderrConfig() == TaskExecStderrConfig.TASK_EXEC_STDERR_CONFIG_PIPE
            : request.getStdoutConfig() == TaskExecStdoutConfig.TASK_EXEC_STDOUT_CONFIG_PIPE;
    if (wanted && bytes.length > 0) {
      (error ? err : out).append(bytes);
    }
  }

  @Override
  public void onExit(int code, int signal) {
    boolean unused = exit.complete(new int[] {code, signal});
    sandbox.execEnded();
  }

  @Override
  public void onOutputClosed() {
    out.end();
    err.end();
  }

  /** What was written already is left out; blocks while the process does not read. */
  void write(long offset, byte[] data, boolean eof) {
    input.lock();
    try {
      if (offset > written) {
        throw Status.FAILED_PRECONDITION
            .withDescription("offset " + offset + " leaves a gap")
            .asRuntimeException();
      }
      int skip = (int) Math.min(data.length, written - offset);
      byte[] rest = java.util.Arrays.copyOfRange(data, skip, data.length);
      if (rest.length > 0) {
        if (closed || exit.isDone()) {
          throw over();
        }
        process.write(rest);
        written += rest.length;
      }
      if (idle != null) {
        rearm();
      }
      if (eof && !closed) {
        closed = true;
        end();
      }
    } catch (IOException e) {
      throw over();
    } finally {
      input.unlock();
    }
  }

  private void end() throws IOException {
    if (request.hasPtyInfo()) {
      process.write(new byte[] {4});
    } else {
      process.closeInput();
    }
  }

  private static io.grpc.StatusRuntimeException over() {
    return Status.FAILED_PRECONDITION
        .withDescription("the process takes no more input")
        .asRuntimeException();
  }

  /** How much input it has taken; never waits for a write. */
  long written() {
    return written;
  }

  boolean inputClosed() {
    return closed;
  }

  /** Its output is not told any more. */
  void silence() {
    out.close();
    err.close();
  }

  /** With its sandbox. */
  void forget() {
    boolean unused = exit.complete(new int[] {0, Posix.KILL});
    process.release();
  }
}
