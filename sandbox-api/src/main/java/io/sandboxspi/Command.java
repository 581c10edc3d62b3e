package io.sandboxspi;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A command to run without a registry entry. Immutable: each method returns a changed copy. {@code
 * toString} shows the program and the names of variables, never arguments or values (spec
 * S-ERR-03).
 */
public final class Command {
  /** Capture limit of each stream unless another is set: 16 MiB (spec S-EXEC-05). */
  public static final int DEFAULT_CAPTURE_LIMIT = 16 * 1024 * 1024;

  private final ProcessDraft process;
  private final @Nullable Duration timeout;
  private final Stdin stdin;
  private final int captureLimit;
  private final boolean streaming;

  private Command(
      ProcessDraft process,
      @Nullable Duration timeout,
      Stdin stdin,
      int captureLimit,
      boolean streaming) {
    this.process = process;
    this.timeout = timeout;
    this.stdin = Objects.requireNonNull(stdin, "stdin");
    this.captureLimit = captureLimit;
    this.streaming = streaming;
    if (timeout != null) {
      Checks.positive("timeout", timeout);
    }
    Checks.range("captureLimit", captureLimit, 1, Integer.MAX_VALUE - 64);
  }

  private Command with(ProcessDraft changed) {
    return new Command(changed, timeout, stdin, captureLimit, streaming);
  }

  /** A program with its arguments; they reach it unchanged, no shell is involved. */
  public static Command of(String program, String... arguments) {
    return of(ProcessDraft.argv(program, arguments));
  }

  /** A program with its arguments; they reach it unchanged, no shell is involved. */
  public static Command of(List<String> argv) {
    return new Command(
        ProcessDraft.of(argv, null), null, Stdin.none(), DEFAULT_CAPTURE_LIMIT, false);
  }

  /** A text for the sandbox's {@code sh -c}. */
  public static Command shell(String text) {
    return of("sh", "-c", text);
  }

  /** Kills the command's whole tree after this time from launch; unlimited unless set. */
  public Command timeout(Duration value) {
    Objects.requireNonNull(value, "timeout");
    return new Command(process, value, stdin, captureLimit, streaming);
  }

  /** Limit for opening the process, 30 s unless set; bounds the start, not the life. */
  public Command openTimeout(Duration value) {
    return with(process.withOpenTimeout(value));
  }

  /** Adds a variable; it wins over the session's. */
  public Command env(String name, String value) {
    return with(process.withVariable(name, value));
  }

  /**
   * Runs it as another user of the sandbox; as the provider's own unless set (spec S-USER-01). The
   * variables stay as they are.
   *
   * @param name an account of the sandbox; needs {@link Capability#USERS}
   */
  public Command user(String name) {
    return with(process.withUser(name));
  }

  /** Directory to start in: absolute, or relative to the workspace; the workspace unless set. */
  public Command workdir(String path) {
    return with(process.withWorkdir(path));
  }

  /** What the command reads; nothing unless set. */
  public Command stdin(Stdin value) {
    return new Command(process, timeout, value, captureLimit, streaming);
  }

  /** Runs the command on a terminal of this size: one output stream, echo, line discipline. */
  public Command terminal(TerminalSize size) {
    return with(process.withTerminal(Objects.requireNonNull(size, "size")));
  }

  /**
   * Limit of what each stream keeps for the result; the command goes on when it is reached.
   *
   * @param bytes 1 or more
   */
  public Command captureLimit(int bytes) {
    return new Command(process, timeout, stdin, bytes, streaming);
  }

  /**
   * Hands the output to {@link RunningCommand#stdout()} and {@code stderr()} instead of keeping it:
   * unbounded in length, bounded in memory, and a slow reader slows the command down. Only for
   * {@link SandboxSession#start(Command)}.
   */
  public Command streaming() {
    return new Command(process, timeout, stdin, captureLimit, true);
  }

  /** Program and arguments. */
  public List<String> argv() {
    return process.argv();
  }

  /** Variables of this command alone. */
  public Map<String, String> environment() {
    return process.environment();
  }

  /** The account to run as; empty for the provider's own. */
  public Optional<String> user() {
    return Optional.ofNullable(process.user());
  }

  /** Directory to start in; empty for the workspace. */
  public Optional<String> workdir() {
    return Optional.ofNullable(process.workdir());
  }

  /** Time limit; empty for none. */
  public Optional<Duration> timeout() {
    return Optional.ofNullable(timeout);
  }

  /** Limit for opening the process. */
  public Duration openTimeout() {
    return process.openTimeout();
  }

  /** What the command reads. */
  public Stdin stdin() {
    return stdin;
  }

  /** The terminal; empty for pipes. */
  public Optional<TerminalSize> terminal() {
    return Optional.ofNullable(process.terminal());
  }

  /** Capture limit of each stream in bytes. */
  public int captureLimit() {
    return captureLimit;
  }

  /** Whether output is streamed and not kept. */
  public boolean isStreaming() {
    return streaming;
  }

  @Override
  public String toString() {
    return "Command[" + process + "]";
  }
}
