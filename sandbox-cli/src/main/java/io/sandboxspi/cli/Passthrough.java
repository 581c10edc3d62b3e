package io.sandboxspi.cli;

import io.sandboxspi.CallScope;
import io.sandboxspi.Command;
import io.sandboxspi.ExecResult;
import io.sandboxspi.Registration;
import io.sandboxspi.RunningCommand;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.Stdin;
import io.sandboxspi.TerminalSize;
import io.sandboxspi.cli.log.LogLevel;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Joins a command of a sandbox with the standard streams of this process until its end. Its threads
 * are daemons: one that is stuck in a read or write does not outlive the main thread.
 */
final class Passthrough {
  private static final int BUFFER = 32 * 1024;
  private static final Duration LAST_OUTPUT = Duration.ofSeconds(1);
  private static final Duration NO_LIMIT = Duration.ofDays(36_500);

  private final RunningCommand command;
  private final CompletableFuture<Void> output;
  private final CompletableFuture<Void> errors;

  private Passthrough(RunningCommand command) {
    this.command = command;
    this.output = pump("stdout", command.stdout(), FileDescriptor.out, StandardStreams.OUT);
    this.errors = pump("stderr", command.stderr(), FileDescriptor.err, StandardStreams.ERR);
  }

  /**
   * Runs the command to its end.
   *
   * @param forwardInput whether standard input goes to the command; otherwise it reads nothing
   */
  static ExecResult run(SandboxSession session, Command command, boolean forwardInput)
      throws InterruptedException {
    Command streaming = command.streaming().stdin(forwardInput ? Stdin.pipe() : Stdin.none());
    try (RunningCommand running = session.start(streaming)) {
      return new Passthrough(running).await(forwardInput);
    }
  }

  /**
   * As {@link #run}, with the user's keys going to the command one by one and the command's
   * terminal following the window.
   */
  static ExecResult runRaw(
      SandboxSession session, Command command, ShutdownGuard guard, Supplier<TerminalSize> window)
      throws InterruptedException {
    try (RunningCommand running = session.start(command.streaming().stdin(Stdin.pipe()));
        UserTerminal.Raw raw = UserTerminal.raw()) {
      guard.atLast(raw::close);
      Semaphore changes = new Semaphore(1);
      UserTerminal.onWindowChange(changes::release);
      start("window", () -> followWindow(running, changes, window));
      return new Passthrough(running).await(true);
    }
  }

  private ExecResult await(boolean forwardInput) throws InterruptedException {
    if (forwardInput) {
      start("stdin", this::forwardInput);
    }
    ExecResult result;
    try {
      result = command.await();
    } catch (SandboxException ended) {
      waitForOutput(LAST_OUTPUT);
      throw ended;
    }
    if (!waitForOutput(NO_LIMIT)) {
      throw CliFailure.sandbox("the end of the output did not come", null);
    }
    return result;
  }

  /** Whether all output is written; {@code false} when the limit passed. */
  private boolean waitForOutput(Duration limit) throws InterruptedException {
    CompletableFuture<Void> both = CompletableFuture.allOf(output, errors);
    Registration onCancel =
        CallScope.current().map(scope -> scope.onCancel(() -> both.cancel(false))).orElse(() -> {});
    try (onCancel) {
      both.get(limit.toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException late) {
      return false;
    } catch (CancellationException told) {
      throw CallScope.current().flatMap(CallScope::cancellation).orElse(told);
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof RuntimeException reason) {
        throw reason;
      }
      throw CliFailure.sandbox("the output failed", failed.getCause());
    }
  }

  private CompletableFuture<Void> pump(
      String name, InputStream from, FileDescriptor to, int descriptor) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    start(
        name,
        () -> {
          try {
            copy(from, new FileOutputStream(to), descriptor);
            done.complete(null);
          } catch (RuntimeException failure) {
            command.cancel(failure);
            done.completeExceptionally(failure);
          }
        });
    return done;
  }

  private static void copy(InputStream from, OutputStream to, int descriptor) {
    byte[] buffer = new byte[BUFFER];
    while (true) {
      int length;
      try {
        length = from.read(buffer);
      } catch (IOException broken) {
        throw CliFailure.sandbox(
            "cannot read the command's output: " + broken.getMessage(), broken);
      }
      if (length < 0) {
        return;
      }
      try {
        to.write(buffer, 0, length);
      } catch (IOException refused) {
        throw StandardStreams.isPipe(descriptor)
            ? CliFailure.quiet(ExitCodes.BROKEN_PIPE, "broken pipe")
            : CliFailure.sandbox("cannot write the output: " + refused.getMessage(), refused);
      }
    }
  }

  private void forwardInput() {
    byte[] buffer = new byte[BUFFER];
    // The default bound of a write would break a pipe into a command that reads late
    try (CallScope unlimited = CallScope.withDeadline(NO_LIMIT);
        OutputStream to = command.stdin()) {
      InputStream from = new FileInputStream(FileDescriptor.in);
      for (int length = read(from, buffer); length >= 0; length = read(from, buffer)) {
        to.write(buffer, 0, length);
        to.flush();
      }
    } catch (IOException ended) {
      // The command takes no more input: it has ended, or closed it
      debug("input is not taken any more", ended);
    } catch (RuntimeException failure) {
      command.cancel(failure);
    }
  }

  private static int read(InputStream from, byte[] buffer) {
    try {
      return from.read(buffer);
    } catch (IOException broken) {
      throw CliFailure.sandbox("cannot read the input: " + broken.getMessage(), broken);
    }
  }

  private static void followWindow(
      RunningCommand running, Semaphore changes, Supplier<TerminalSize> window) {
    try {
      while (true) {
        changes.acquire();
        changes.drainPermits();
        running.resize(window.get());
      }
    } catch (SandboxException unsupported) {
      debug("the window's size is not followed", unsupported);
    } catch (InterruptedException end) {
      Thread.currentThread().interrupt();
    }
  }

  private static void debug(String what, Exception why) {
    if (LogLevel.debug()) {
      System.err.println(LogLevel.oneLine("sandbox: " + what + ": " + why));
    }
  }

  private static void start(String role, Runnable work) {
    Thread thread = new Thread(work, "sandbox-cli-" + role);
    thread.setDaemon(true);
    thread.start();
  }
}
