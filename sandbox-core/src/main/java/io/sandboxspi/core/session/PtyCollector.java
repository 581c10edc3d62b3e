package io.sandboxspi.core.session;

import io.sandboxspi.ExitStatus;
import io.sandboxspi.Operation;
import io.sandboxspi.PtyEndReason;
import io.sandboxspi.PtyUpdate;
import io.sandboxspi.YieldOptions;
import io.sandboxspi.core.output.TokenTruncation;
import io.sandboxspi.core.output.Truncated;
import io.sandboxspi.core.time.Caller;
import io.sandboxspi.core.time.EngineClock;
import io.sandboxspi.spi.Deadline;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Collects output of a PTY for an update: until its end, silence, or the end of the window. */
final class PtyCollector {
  private static final Duration MIN_WINDOW = Duration.ofMillis(250);
  private static final Duration MAX_WINDOW = Duration.ofSeconds(30);
  private static final Duration MIN_POLL = Duration.ofSeconds(5);
  private static final Duration SETTLE_PAUSE = Duration.ofMillis(100);

  private final SessionCore core;

  PtyCollector(SessionCore core) {
    this.core = core;
  }

  Duration window(YieldOptions options) {
    return clamp(options.window(), MIN_WINDOW);
  }

  Duration pollWindow(YieldOptions options) {
    return clamp(options.window(), MIN_POLL);
  }

  private static Duration clamp(Duration window, Duration min) {
    if (window.compareTo(min) < 0) {
      return min;
    }
    return window.compareTo(MAX_WINDOW) > 0 ? MAX_WINDOW : window;
  }

  /** Gives the process a moment after input, unless the caller looks for silence himself. */
  void settlePause(PtyEntry entry, YieldOptions options, Caller caller)
      throws InterruptedException {
    if (options.quietAfter().isPresent()) {
      return;
    }
    Runnable wake = caller::wake;
    entry.watch(wake);
    try {
      if (caller.await(() -> over(entry), core.clock().deadline(SETTLE_PAUSE))
          == Caller.Wait.CANCELLED) {
        caller.throwIfCancelled(List.of());
      }
    } finally {
      entry.unwatch(wake);
    }
  }

  private static boolean over(PtyEntry entry) {
    return entry.finished() || entry.killed();
  }

  /**
   * Collects.
   *
   * @param seen how much output had come when the call began to be about new output; what comes
   *     beyond counts for {@code quietAfter}
   */
  PtyUpdate collect(
      PtyEntry entry,
      int id,
      Duration window,
      YieldOptions options,
      Caller caller,
      long startedAt,
      long seen)
      throws InterruptedException {
    core.reached(HookPoint.COLLECT_START, entry.id().value());
    Deadline deadline = core.clock().deadline(window);
    Runnable wake = caller::wake;
    entry.watch(wake);
    try {
      Caller.Wait wait =
          options.quietAfter().isPresent()
              ? awaitSilence(entry, options.quietAfter().get(), deadline, caller, seen)
              : caller.await(() -> over(entry), deadline);
      if (wait != Caller.Wait.CANCELLED && entry.killed() && !entry.finished()) {
        // The session ends it: what it still says belongs to this update, for a short time.
        wait =
            caller.await(
                () -> entry.finished() || entry.silenced(),
                core.clock().deadline(core.spec().timings().join()));
      }
      if (wait == Caller.Wait.CANCELLED) {
        caller.throwIfCancelled(List.of());
      }
    } finally {
      entry.unwatch(wake);
    }
    if (over(entry)) {
      core.registry().detach(id, entry);
      core.freeIfOver(entry);
      return finalUpdate(entry, options, startedAt, entry.endReason());
    }
    return entry
        .take(false)
        .map(
            taken -> update(entry, OptionalInt.of(id), taken, options, startedAt, Optional.empty()))
        .orElseThrow(() -> PtyService.notFound(Operation.PTY_POLL, id));
  }

  private Caller.Wait awaitSilence(
      PtyEntry entry, Duration quiet, Deadline deadline, Caller caller, long before) {
    while (true) {
      long seen = entry.outputEvents();
      Deadline next = deadline;
      if (seen > before) {
        long silentFor = core.clock().nanoTime() - entry.lastOutputAt();
        long left = EngineClock.nanos(quiet) - silentFor;
        if (left <= 0) {
          return Caller.Wait.DONE;
        }
        if (left < deadline.remainingNanos()) {
          next = core.clock().deadline(Duration.ofNanos(left));
        }
      }
      Caller.Wait wait = caller.await(() -> over(entry) || entry.outputEvents() != seen, next);
      if (wait == Caller.Wait.CANCELLED || over(entry)) {
        return wait;
      }
      if (wait == Caller.Wait.DEADLINE && deadline.expired()) {
        return wait;
      }
    }
  }

  /** The last update; the output is taken by whoever asks first. */
  PtyUpdate finalUpdate(PtyEntry entry, YieldOptions options, long startedAt, PtyEndReason reason) {
    PtyEntry.Taken taken = entry.take(true).orElseGet(() -> new PtyEntry.Taken("", 0, true));
    return update(entry, OptionalInt.empty(), taken, options, startedAt, Optional.of(reason));
  }

  private PtyUpdate update(
      PtyEntry entry,
      OptionalInt liveId,
      PtyEntry.Taken taken,
      YieldOptions options,
      long startedAt,
      Optional<PtyEndReason> reason) {
    Truncated truncated =
        options.maxTokens().isPresent()
            ? TokenTruncation.truncate(taken.text(), options.maxTokens().getAsInt())
            : Truncated.whole(taken.text());
    Optional<ExitStatus> exit = reason.isPresent() ? entry.exit() : Optional.empty();
    return new PtyUpdate(
        liveId,
        truncated.text(),
        reason,
        exit,
        truncated.originalTokens(),
        taken.dropped(),
        reason.isPresent() && entry.outputIncomplete(),
        Duration.ofNanos(core.clock().nanoTime() - startedAt));
  }
}
