package io.sandboxspi.core.reap;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.ListedBackend;
import io.sandboxspi.spi.SandboxProvider;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Removes backends whose owner has gone (spec S-REAP-01 to S-REAP-03). Immutable: each method
 * returns a changed copy.
 */
public final class Reaper {
  private static final Duration LIST = Duration.ofSeconds(60);
  private static final Duration DELETE = Duration.ofSeconds(60);

  private final SandboxProvider provider;
  private final Map<String, String> options;
  private final Duration age;
  private final boolean unproven;
  private final boolean dryRun;

  private Reaper(
      SandboxProvider provider,
      Map<String, String> options,
      Duration age,
      boolean unproven,
      boolean dryRun) {
    this.provider = provider;
    this.options = Map.copyOf(options);
    this.age = age;
    this.unproven = unproven;
    this.dryRun = dryRun;
  }

  /** What became of a backend. */
  public enum Fate {
    /** It was removed. */
    REMOVED,
    /** It would have been removed. */
    ORPHAN,
    /** It stays: its owner lives. */
    OWNED,
    /** It stays: whether its owner lives cannot be told from here. */
    UNPROVEN,
    /** It stays: it is not old enough. */
    YOUNG,
    /** It was to be removed and was not. */
    FAILED
  }

  /**
   * A backend and what became of it.
   *
   * @param failure why it was not removed
   */
  public record Result(ListedBackend backend, Fate fate, Optional<SandboxException> failure) {}

  /** All orphans of a provider, however young. */
  public static Reaper of(SandboxProvider provider) {
    return new Reaper(provider, Map.of(), Duration.ZERO, false, false);
  }

  /** Options that say where the provider's backends are. */
  public Reaper options(Map<String, String> value) {
    return new Reaper(provider, value, age, unproven, dryRun);
  }

  /** Only those that were made so long ago. */
  public Reaper olderThan(Duration value) {
    return new Reaper(provider, options, value, unproven, dryRun);
  }

  /** Those too of which it cannot be told whether their owner lives. */
  public Reaper unproven() {
    return new Reaper(provider, options, age, true, dryRun);
  }

  /** Removes nothing. */
  public Reaper dryRun() {
    return new Reaper(provider, options, age, unproven, true);
  }

  /**
   * Looks at every backend, one after another; a failure to remove one stops nothing.
   *
   * @throws SandboxException when they cannot be listed
   * @throws InterruptedException when interrupted; what was removed until then is
   */
  public List<Result> run() throws InterruptedException {
    Instant latest = Instant.now().minus(age);
    List<Result> results = new ArrayList<>();
    for (ListedBackend backend : provider.list(options, Deadline.after(LIST))) {
      results.add(judge(backend, latest));
    }
    return results;
  }

  private Result judge(ListedBackend backend, Instant latest) throws InterruptedException {
    Owner.State owner = Owner.state(backend.owner());
    if (owner == Owner.State.ALIVE) {
      return new Result(backend, Fate.OWNED, Optional.empty());
    }
    if (owner == Owner.State.UNKNOWN && !unproven) {
      return new Result(backend, Fate.UNPROVEN, Optional.empty());
    }
    if (backend.created().isAfter(latest)) {
      return new Result(backend, Fate.YOUNG, Optional.empty());
    }
    return dryRun ? new Result(backend, Fate.ORPHAN, Optional.empty()) : remove(backend);
  }

  private Result remove(ListedBackend backend) throws InterruptedException {
    try {
      Object unused = provider.delete(backend.ref(), Deadline.after(DELETE));
      return new Result(backend, Fate.REMOVED, Optional.empty());
    } catch (SandboxException e) {
      return new Result(backend, Fate.FAILED, Optional.of(e));
    } catch (RuntimeException e) {
      SandboxException failure =
          SandboxException.builder(
                  ErrorCode.BACKEND_RELEASE_FAILED, Operation.DELETE, "the backend was not removed")
              .cause(e)
              .build();
      return new Result(backend, Fate.FAILED, Optional.of(failure));
    }
  }
}
