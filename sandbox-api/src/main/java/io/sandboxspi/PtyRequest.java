package io.sandboxspi;

import java.time.Duration;
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

  private final ProcessDraft process;
  private final @Nullable Duration maxLifetime;
  private final YieldOptions collect;
  private final boolean keepOnCancel;

  private PtyRequest(
      ProcessDraft process,
      @Nullable Duration maxLifetime,
      YieldOptions collect,
      boolean keepOnCancel) {
    this.process = process;
    this.maxLifetime = maxLifetime;
    this.collect = Objects.requireNonNull(collect, "collect");
    this.keepOnCancel = keepOnCancel;
    if (maxLifetime != null) {
      Checks.positive("maxLifetime", maxLifetime);
    }
  }

  private PtyRequest with(ProcessDraft changed) {
    return new PtyRequest(changed, maxLifetime, collect, keepOnCancel);
  }

  /** A program with its arguments, on a terminal of 80x24. */
  public static PtyRequest of(String program, String... arguments) {
    return of(ProcessDraft.argv(program, arguments));
  }

  /** A program with its arguments, on a terminal of 80x24. */
  public static PtyRequest of(List<String> argv) {
    return new PtyRequest(
        ProcessDraft.of(argv, TerminalSize.DEFAULT), null, YieldOptions.forStart(), false);
  }

  /** A text for the sandbox's {@code sh -c}, on a terminal of 80x24. */
  public static PtyRequest shell(String text) {
    return of("sh", "-c", text);
  }

  /** Size of the terminal. */
  public PtyRequest terminal(TerminalSize size) {
    return with(process.withTerminal(Objects.requireNonNull(size, "size")));
  }

  /** Pipes in place of a terminal: input is at its end at once and writes are refused. */
  public PtyRequest withoutTerminal() {
    return with(process.withTerminal(null));
  }

  /** Adds a variable; it wins over the session's. */
  public PtyRequest env(String name, String value) {
    return with(process.withVariable(name, value));
  }

  /**
   * Runs it as another user of the sandbox; as the provider's own unless set (spec S-USER-01). The
   * variables stay as they are.
   *
   * @param name an account of the sandbox; needs {@link Capability#USERS}
   */
  public PtyRequest user(String name) {
    return with(process.withUser(name));
  }

  /** Directory to start in: absolute, or relative to the workspace; the workspace unless set. */
  public PtyRequest workdir(String path) {
    return with(process.withWorkdir(path));
  }

  /** Limit for opening the process; bounds the start, not the life (spec S-PTY-02). */
  public PtyRequest openTimeout(Duration value) {
    return with(process.withOpenTimeout(value));
  }

  /** Kills the process this long after its launch; unlimited unless set (spec S-PTY-02). */
  public PtyRequest maxLifetime(Duration value) {
    Objects.requireNonNull(value, "maxLifetime");
    return new PtyRequest(process, value, collect, keepOnCancel);
  }

  /** How long the start collects output. */
  public PtyRequest collect(YieldOptions value) {
    return new PtyRequest(process, maxLifetime, value, keepOnCancel);
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
    return new PtyRequest(process, maxLifetime, collect, true);
  }

  /** Program and arguments. */
  public List<String> argv() {
    return process.argv();
  }

  /** Variables of this process alone. */
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

  /** The terminal; empty for pipes. */
  public Optional<TerminalSize> terminal() {
    return Optional.ofNullable(process.terminal());
  }

  /** Limit for opening the process. */
  public Duration openTimeout() {
    return process.openTimeout();
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
    return "PtyRequest[" + process + ", terminal=" + process.terminal() + "]";
  }
}
