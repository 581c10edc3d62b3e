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
 * A process for the PTY registry. Immutable: each method returns a changed copy. {@code toString}
 * shows the program and the names of variables, never arguments or values (spec S-ERR-03).
 */
public final class PtyRequest {
  /** Limit for opening a process unless another is set: 30 s. */
  public static final Duration DEFAULT_OPEN_TIMEOUT = Duration.ofSeconds(30);

  private final List<String> argv;
  private final Map<String, String> environment;
  private final @Nullable String workdir;
  private final @Nullable TerminalSize terminal;
  private final Duration openTimeout;
  private final @Nullable Duration maxLifetime;
  private final YieldOptions collect;
  private final boolean keepOnCancel;

  private PtyRequest(Draft draft) {
    this.argv = Checks.argv(draft.argv);
    this.environment = Checks.environment(draft.environment);
    this.workdir = draft.workdir == null ? null : Checks.workdir(draft.workdir);
    this.terminal = draft.terminal;
    this.openTimeout = draft.openTimeout;
    this.maxLifetime = draft.maxLifetime;
    this.collect = draft.collect;
    this.keepOnCancel = draft.keepOnCancel;
    Checks.positive("openTimeout", openTimeout);
    if (maxLifetime != null) {
      Checks.positive("maxLifetime", maxLifetime);
    }
  }

  /** A program with its arguments, on a terminal of 80x24. */
  public static PtyRequest of(String program, String... arguments) {
    List<String> argv = new ArrayList<>();
    argv.add(program);
    argv.addAll(List.of(arguments));
    return of(argv);
  }

  /** A program with its arguments, on a terminal of 80x24. */
  public static PtyRequest of(List<String> argv) {
    return new PtyRequest(new Draft(List.copyOf(argv)));
  }

  /** A text for the sandbox's {@code sh -c}, on a terminal of 80x24. */
  public static PtyRequest shell(String text) {
    return of("sh", "-c", text);
  }

  /** Size of the terminal. */
  public PtyRequest terminal(TerminalSize size) {
    Draft draft = draft();
    draft.terminal = Objects.requireNonNull(size, "size");
    return new PtyRequest(draft);
  }

  /** Pipes in place of a terminal: input is at its end at once and writes are refused. */
  public PtyRequest withoutTerminal() {
    Draft draft = draft();
    draft.terminal = null;
    return new PtyRequest(draft);
  }

  /** Adds a variable; it wins over the session's. */
  public PtyRequest env(String name, String value) {
    Draft draft = draft();
    draft.environment.put(name, value);
    return new PtyRequest(draft);
  }

  /** Directory to start in: absolute, or relative to the workspace; the workspace unless set. */
  public PtyRequest workdir(String path) {
    Draft draft = draft();
    draft.workdir = path;
    return new PtyRequest(draft);
  }

  /** Limit for opening the process; bounds the start, not the life (spec S-PTY-02). */
  public PtyRequest openTimeout(Duration value) {
    Draft draft = draft();
    draft.openTimeout = value;
    return new PtyRequest(draft);
  }

  /** Kills the process this long after its launch; unlimited unless set (spec S-PTY-02). */
  public PtyRequest maxLifetime(Duration value) {
    Draft draft = draft();
    draft.maxLifetime = Objects.requireNonNull(value, "maxLifetime");
    return new PtyRequest(draft);
  }

  /** How long the start collects output. */
  public PtyRequest collect(YieldOptions value) {
    Draft draft = draft();
    draft.collect = value;
    return new PtyRequest(draft);
  }

  /** Collects the first output for at most this time. */
  public PtyRequest collectFor(Duration value) {
    return collect(collect.window(value));
  }

  /**
   * Leaves the PTY in {@link Ptys#list()} when the start is cancelled after its registration; it is
   * terminated unless this is set (spec S-CANCEL-06).
   */
  public PtyRequest keepOnCancel() {
    Draft draft = draft();
    draft.keepOnCancel = true;
    return new PtyRequest(draft);
  }

  /** Program and arguments. */
  public List<String> argv() {
    return argv;
  }

  /** Variables of this process alone. */
  public Map<String, String> environment() {
    return environment;
  }

  /** Directory to start in; empty for the workspace. */
  public Optional<String> workdir() {
    return Optional.ofNullable(workdir);
  }

  /** The terminal; empty for pipes. */
  public Optional<TerminalSize> terminal() {
    return Optional.ofNullable(terminal);
  }

  /** Limit for opening the process. */
  public Duration openTimeout() {
    return openTimeout;
  }

  /** Limit of the life; empty for none. */
  public Optional<Duration> maxLifetime() {
    return Optional.ofNullable(maxLifetime);
  }

  /** How long the start collects output. */
  public YieldOptions collect() {
    return collect;
  }

  /** Whether a cancelled start leaves the PTY running. */
  public boolean isKeptOnCancel() {
    return keepOnCancel;
  }

  @Override
  public String toString() {
    return "PtyRequest[program="
        + argv.get(0)
        + ", arguments="
        + (argv.size() - 1)
        + ", environment="
        + environment.keySet()
        + ", terminal="
        + terminal
        + "]";
  }

  private Draft draft() {
    Draft draft = new Draft(argv);
    draft.environment.putAll(environment);
    draft.workdir = workdir;
    draft.terminal = terminal;
    draft.openTimeout = openTimeout;
    draft.maxLifetime = maxLifetime;
    draft.collect = collect;
    draft.keepOnCancel = keepOnCancel;
    return draft;
  }

  private static final class Draft {
    private final List<String> argv;
    private final Map<String, String> environment = new LinkedHashMap<>();
    private @Nullable String workdir;
    private @Nullable TerminalSize terminal = TerminalSize.DEFAULT;
    private Duration openTimeout = DEFAULT_OPEN_TIMEOUT;
    private @Nullable Duration maxLifetime;
    private YieldOptions collect = YieldOptions.forStart();
    private boolean keepOnCancel;

    private Draft(List<String> argv) {
      this.argv = argv;
    }
  }
}
