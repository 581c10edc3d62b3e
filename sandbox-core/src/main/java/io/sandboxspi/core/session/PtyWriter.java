package io.sandboxspi.core.session;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.core.time.Callback;
import io.sandboxspi.core.time.Caller;
import io.sandboxspi.core.time.LaneTask;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.InputClosedException;
import io.sandboxspi.spi.SandboxProcess;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes to a terminal, bounded, in the caller's thread where the backend can. */
final class PtyWriter {
  private static final Logger LOG = LoggerFactory.getLogger(PtyWriter.class);
  private static final Duration LIMIT = Duration.ofSeconds(10);

  private final SessionCore core;

  PtyWriter(SessionCore core) {
    this.core = core;
  }

  /** Writes all, or throws; returns normally when the process has just ended (spec S-PTY-10). */
  void write(PtyEntry entry, ByteBuffer bytes, Caller caller) throws InterruptedException {
    SandboxProcess process = entry.process().orElseThrow();
    Deadline deadline = core.clock().deadline(LIMIT);
    Runnable wake = caller::wake;
    entry.watch(wake);
    try {
      Optional<LaneTask<?>> before = entry.lastWrite().filter(task -> !task.isDone());
      if (before.isPresent()) {
        // A write that was given up may still hold part of its text: never mix two.
        await(entry, before.get(), deadline, caller);
        if (over(entry)) {
          return;
        }
      } else if (process.tryWrite(bytes)) {
        return;
      }
      LaneTask<Boolean> task =
          core.work()
              .call(
                  () -> {
                    process.write(bytes, deadline);
                    return true;
                  });
      entry.track(task);
      entry.lastWrite(task);
      await(entry, task, deadline, caller);
      if (task.isDone()) {
        check(entry, task.handle((ok, thrown) -> Optional.ofNullable(thrown)).join());
      }
    } finally {
      entry.unwatch(wake);
    }
  }

  private static boolean over(PtyEntry entry) {
    return entry.killed() || entry.finished();
  }

  private static void await(PtyEntry entry, LaneTask<?> task, Deadline deadline, Caller caller)
      throws InterruptedException {
    Callback.when(task, (ok, failure) -> caller.wake());
    Caller.Wait wait = caller.await(() -> task.isDone() || over(entry), deadline);
    if (!task.isDone()) {
      task.interrupt();
    }
    if (wait == Caller.Wait.CANCELLED) {
      caller.throwIfCancelled(List.of());
    }
    if (wait == Caller.Wait.DEADLINE) {
      throw SandboxException.builder(
              ErrorCode.WRITE_TIMEOUT,
              Operation.PTY_WRITE,
              entry.program() + " did not take its input in " + LIMIT)
          .context("limit", LIMIT)
          .retryable(Retryable.UNKNOWN)
          .build();
    }
  }

  private static void check(PtyEntry entry, Optional<Throwable> failure) {
    if (failure.isEmpty()) {
      return;
    }
    Throwable thrown = failure.get();
    if (thrown instanceof InputClosedException || entry.killed() || entry.finished()) {
      LOG.debug("{} took no more input", entry, thrown);
      return;
    }
    if (thrown instanceof RuntimeException e) {
      throw e;
    }
    throw SandboxException.builder(
            ErrorCode.TRANSPORT, Operation.PTY_WRITE, "writing to " + entry.program() + " failed")
        .cause(thrown)
        .retryable(Retryable.UNKNOWN)
        .build();
  }
}
