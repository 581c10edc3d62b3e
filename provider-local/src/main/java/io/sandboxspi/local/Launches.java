package io.sandboxspi.local;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.local.driver.DriverProcess;
import io.sandboxspi.local.sweep.Outcome;
import io.sandboxspi.local.sweep.ProcessSweep;
import io.sandboxspi.local.sweep.Target;
import io.sandboxspi.spi.LaunchId;
import io.sandboxspi.spi.TerminationOutcome;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The launches of a backend that are not proven ended, and the ids that must never start (spec
 * S-SPI-03). The lock guards the maps only.
 */
final class Launches {
  private static final int TOMBSTONES = 10_000;
  private static final int REMEMBERED = 1_000;

  private final Object lock = new Object();
  private final Map<LaunchId, Launch> open = new LinkedHashMap<>();
  private final Map<LaunchId, Boolean> tombstones = latest(TOMBSTONES);

  /** Proven ended and not begun again: to look for them once more would only cost time. */
  private final Map<LaunchId, Boolean> gone = latest(REMEMBERED);

  private boolean closed;

  private static Map<LaunchId, Boolean> latest(int limit) {
    return new LinkedHashMap<>() {
      private static final long serialVersionUID = 1L;

      @Override
      protected boolean removeEldestEntry(Map.Entry<LaunchId, Boolean> eldest) {
        return size() > limit;
      }
    };
  }

  /** One launch; its process is known once its start has returned. */
  static final class Launch {
    private final LaunchId id;
    private final long startedAt = System.nanoTime();
    private final CompletableFuture<Optional<DriverProcess>> started = new CompletableFuture<>();
    private boolean killed;
    private boolean orphan;

    private Launch(LaunchId id) {
      this.id = id;
    }
  }

  /**
   * Begins a launch.
   *
   * @throws SandboxException when its id was killed, or no more launches may begin
   */
  Launch begin(LaunchId id) {
    synchronized (lock) {
      if (closed) {
        throw SandboxException.of(
            ErrorCode.BACKEND_GONE, Operation.COMMAND_START, "the sandbox is released");
      }
      if (tombstones.containsKey(id)) {
        throw killed();
      }
      Launch launch = new Launch(id);
      open.put(id, launch);
      gone.remove(id);
      return launch;
    }
  }

  /** The start failed; nothing of it exists. */
  void failed(Launch launch) {
    synchronized (lock) {
      open.remove(launch.id);
    }
    launch.started.complete(Optional.empty());
  }

  /**
   * The start returned.
   *
   * @throws SandboxException when it was killed meanwhile; whoever did that ends the process
   */
  void started(Launch launch, DriverProcess process) {
    boolean late;
    synchronized (lock) {
      late = launch.killed;
      launch.orphan = late;
    }
    launch.started.complete(Optional.of(process));
    if (late) {
      throw killed();
    }
  }

  private static SandboxException killed() {
    return SandboxException.of(
        ErrorCode.LAUNCH_FAILED, Operation.COMMAND_START, "the launch was killed before it began");
  }

  /** Refuses further launches. */
  void close() {
    synchronized (lock) {
      closed = true;
    }
  }

  List<LaunchId> ids() {
    synchronized (lock) {
      return new ArrayList<>(open.keySet());
    }
  }

  /**
   * Ends launches, whatever they are at.
   *
   * @param deadline by {@link System#nanoTime()}
   */
  Map<LaunchId, TerminationOutcome> kill(Collection<LaunchId> ids, long deadline)
      throws InterruptedException {
    Map<LaunchId, TerminationOutcome> outcomes = new HashMap<>();
    Map<String, LaunchId> byCookie = new HashMap<>();
    List<Target> targets = new ArrayList<>();
    for (LaunchId id : ids) {
      if (isGone(id)) {
        outcomes.put(id, TerminationOutcome.alreadyGone());
        continue;
      }
      byCookie.put(id.value(), id);
      Launch launch = mark(id);
      if (launch == null) {
        targets.add(Target.unknown(id.value()));
      } else {
        target(launch, deadline)
            .ifPresentOrElse(targets::add, () -> outcomes.put(id, stillStarting()));
      }
    }
    for (Map.Entry<String, Outcome> swept : ProcessSweep.killAll(targets, deadline).entrySet()) {
      LaunchId id = byCookie.get(swept.getKey());
      if (id != null) {
        outcomes.put(id, result(id, swept.getValue()));
      }
    }
    return outcomes;
  }

  private boolean isGone(LaunchId id) {
    synchronized (lock) {
      return gone.containsKey(id);
    }
  }

  private @Nullable Launch mark(LaunchId id) {
    synchronized (lock) {
      Launch launch = open.get(id);
      if (launch == null) {
        tombstones.put(id, true);
      } else {
        launch.killed = true;
      }
      return launch;
    }
  }

  /** What to sweep for a launch; empty if its start does not return in time. */
  private static Optional<Target> target(Launch launch, long deadline) throws InterruptedException {
    try {
      long left = Math.max(0, deadline - System.nanoTime());
      Optional<DriverProcess> process = launch.started.get(left, TimeUnit.NANOSECONDS);
      return Optional.of(new Target(launch.id.value(), process, launch.startedAt));
    } catch (TimeoutException e) {
      return Optional.empty();
    } catch (ExecutionException e) {
      throw new IllegalStateException("a start never completes with a failure", e);
    }
  }

  private TerminationOutcome result(LaunchId id, Outcome outcome) {
    return switch (outcome.kind()) {
      case CONFIRMED -> {
        ended(id);
        yield TerminationOutcome.confirmed();
      }
      case ALREADY_GONE -> {
        ended(id);
        yield TerminationOutcome.alreadyGone();
      }
      case UNCONFIRMED ->
          TerminationOutcome.unconfirmed(
              unconfirmed("processes " + outcome.survivors() + " live still"));
    };
  }

  private void ended(LaunchId id) {
    Launch launch;
    synchronized (lock) {
      launch = open.remove(id);
      gone.put(id, true);
    }
    if (launch != null && launch.orphan) {
      // Its start threw, so nobody else has the handle.
      launch.started.join().ifPresent(DriverProcess::release);
    }
  }

  private static TerminationOutcome stillStarting() {
    return TerminationOutcome.unconfirmed(unconfirmed("its start has not returned yet"));
  }

  private static SandboxException unconfirmed(String why) {
    return SandboxException.of(
        ErrorCode.TERMINATION_UNCONFIRMED, Operation.PTY_TERMINATE, "not proven ended: " + why);
  }
}
