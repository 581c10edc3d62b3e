package io.sandboxspi.core.files;

import io.sandboxspi.CleanupTimings;
import io.sandboxspi.core.pty.CleanupOperations;
import io.sandboxspi.core.pty.CleanupResult;
import io.sandboxspi.core.pty.PtyCleanupHelper;
import io.sandboxspi.core.time.Caller;
import io.sandboxspi.core.time.EngineClock;
import io.sandboxspi.core.time.Lane;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.LaunchId;
import io.sandboxspi.spi.SandboxBackend;
import io.sandboxspi.spi.SandboxProcess;
import io.sandboxspi.spi.TerminationOutcome;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The processes of file transfers, each owned from before its launch until it is proven ended. One
 * that does not end is tried again with each that ends later. Thread-safe.
 */
final class Transfers implements CleanupOperations<Transfers.Transfer> {
  private static final Logger LOG = LoggerFactory.getLogger(Transfers.class);
  private static final CleanupTimings TIMINGS =
      new CleanupTimings(
          Duration.ofSeconds(5),
          CleanupTimings.DEFAULT.join(),
          CleanupTimings.DEFAULT.finalDrain(),
          CleanupTimings.DEFAULT.release());

  private final SandboxBackend backend;
  private final EngineClock clock = EngineClock.system();
  private final PtyCleanupHelper<Transfer> helper =
      new PtyCleanupHelper<>(this, TIMINGS, Lane.platform("sandbox-files-cleanup"), clock);

  Transfers(SandboxBackend backend) {
    this.backend = backend;
  }

  /** A process that may exist. */
  static final class Transfer {
    final LaunchId id = LaunchId.random();
    private final CompletableFuture<Boolean> opening = new CompletableFuture<>();
    private volatile Optional<SandboxProcess> process = Optional.empty();

    /** The launch has returned. */
    void launched(SandboxProcess value) {
      process = Optional.of(value);
    }
  }

  /** Owned from now on. */
  Transfer begin() {
    Transfer transfer = new Transfer();
    helper.own(transfer, transfer.opening);
    return transfer;
  }

  /** No handle comes any more; ends it, whatever the caller is at. Bounded; throws nothing. */
  void end(Transfer transfer) {
    transfer.opening.complete(true);
    // Not proven yet by an earlier end.
    List<Transfer> others =
        helper.owned().stream().filter(helper::isClosing).filter(it -> it != transfer).toList();
    CompletableFuture<CleanupResult> attempt = helper.begin(transfer);
    helper.begin(others);
    try (Caller caller = Caller.enter(clock)) {
      for (Throwable failure : helper.settle(List.of(attempt), caller)) {
        LOG.warn("a process of a file transfer may be left in the sandbox", failure);
      }
    }
  }

  /** Whether it may have a process still. */
  boolean owns(Transfer transfer) {
    return !helper.isClosed(transfer);
  }

  @Override
  public TerminationOutcome kill(Transfer transfer, Deadline deadline) throws InterruptedException {
    return backend.kill(transfer.id, deadline);
  }

  @Override
  public void release(Transfer transfer) {
    transfer.process.ifPresent(SandboxProcess::release);
  }
}
