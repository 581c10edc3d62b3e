package io.sandboxspi;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
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

  private final List<String> argv;
  private final Map<String, String> environment;
  private final @Nullable String workdir;
  private final @Nullable Duration timeout;
  private final Duration openTimeout;
  private final Stdin stdin;
  private final @Nullable TerminalSize terminal;
  private final int captureLimit;
  private final boolean streaming;

  private Command(Draft draft) {
    this.argv = Checks.argv(draft.argv);
    this.environment = Checks.environment(draft.environment);
    this.workdir = draft.workdir == null ? null : Checks.workdir(draft.workdir);
    this.timeout = draft.timeout;
    this.openTimeout = draft.openTimeout;
    this.stdin = draft.stdin;
    this.terminal = draft.terminal;
    this.captureLimit = draft.captureLimit;
    this.streaming = draft.streaming;
    if (timeout != null) {
      Checks.positive("timeout", timeout);
    }
    Checks.positive("openTimeout", openTimeout);
    Checks.range("captureLimit", captureLimit, 1, Integer.MAX_VALUE - 64);
  }

  /** A program with its arguments; they reach it unchanged, no shell is involved. */
  public static Command of(String program, String... arguments) {
    List<String> argv = new ArrayList<>();
    argv.add(program);
    argv.addAll(List.of(arguments));
    return of(argv);
  }

  /** A program with its arguments; they reach it unchanged, no shell is involved. */
  public static Command of(List<String> argv) {
    return new Command(new Draft(List.copyOf(argv)));
  }

  /** A text for the sandbox's {@code sh -c}. */
  public static Command shell(String text) {
    return of("sh", "-c", text);
  }

  /** Kills the command's whole tree after this time from launch; unlimited unless set. */
  public Command timeout(Duration value) {
    Draft draft = draft();
    draft.timeout = Objects.requireNonNull(value, "timeout");
    return new Command(draft);
  }

  /** Limit for opening the process, 30 s unless set; bounds the start, not the life. */
  public Command openTimeout(Duration value) {
    Draft draft = draft();
    draft.openTimeout = Objects.requireNonNull(value, "openTimeout");
    return new Command(draft);
  }

  /** Adds a variable; it wins over the session's. */
  public Command env(String name, String value) {
    Draft draft = draft();
    draft.environment.put(name, value);
    return new Command(draft);
  }

  /** Directory to start in: absolute, or relative to the workspace; the workspace unless set. */
  public Command workdir(String path) {
    Draft draft = draft();
    draft.workdir = path;
    return new Command(draft);
  }

  /** What the command reads; nothing unless set. */
  public Command stdin(Stdin value) {
    Draft draft = draft();
    draft.stdin = value;
    return new Command(draft);
  }

  /** Runs the command on a terminal of this size: one output stream, echo, line discipline. */
  public Command terminal(TerminalSize size) {
    Draft draft = draft();
    draft.terminal = size;
    return new Command(draft);
  }

  /**
   * Limit of what each stream keeps for the result; the command goes on when it is reached.
   *
   * @param bytes 1 or more
   */
  public Command captureLimit(int bytes) {
    Draft draft = draft();
    draft.captureLimit = bytes;
    return new Command(draft);
  }

  /**
   * Hands the output to {@link RunningCommand#stdout()} and {@code stderr()} instead of keeping it:
   * unbounded in length, bounded in memory, and a slow reader slows the command down. Only for
   * {@link SandboxSession#start(Command)}.
   */
  public Command streaming() {
    Draft draft = draft();
    draft.streaming = true;
    return new Command(draft);
  }

  /** Program and arguments. */
  public List<String> argv() {
    return argv;
  }

  /** Variables of this command alone. */
  public Map<String, String> environment() {
    return environment;
  }

  /** Directory to start in; empty for the workspace. */
  public Optional<String> workdir() {
    return Optional.ofNullable(workdir);
  }

  /** Time limit; empty for none. */
  public Optional<Duration> timeout() {
    return Optional.ofNullable(timeout);
  }

  /** Limit for opening the process. */
  public Duration openTimeout() {
    return openTimeout;
  }

  /** What the command reads. */
  public Stdin stdin() {
    return stdin;
  }

  /** The terminal; empty for pipes. */
  public Optional<TerminalSize> terminal() {
    return Optional.ofNullable(terminal);
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
    return "Command[program="
        + argv.get(0)
        + ", arguments="
        + (argv.size() - 1)
        + ", environment="
        + environment.keySet()
        + "]";
  }

  private Draft draft() {
    Draft draft = new Draft(argv);
    draft.environment.putAll(environment);
    draft.workdir = workdir;
    draft.timeout = timeout;
    draft.openTimeout = openTimeout;
    draft.stdin = stdin;
    draft.terminal = terminal;
    draft.captureLimit = captureLimit;
    draft.streaming = streaming;
    return draft;
  }

  private static final class Draft {
    private final List<String> argv;
    private final Map<String, String> environment = new LinkedHashMap<>();
    private @Nullable String workdir;
    private @Nullable Duration timeout;
    private Duration openTimeout = PtyRequest.DEFAULT_OPEN_TIMEOUT;
    private Stdin stdin = Stdin.none();
    private @Nullable TerminalSize terminal;
    private int captureLimit = DEFAULT_CAPTURE_LIMIT;
    private boolean streaming;

    private Draft(List<String> argv) {
      this.argv = argv;
    }
  }
}
