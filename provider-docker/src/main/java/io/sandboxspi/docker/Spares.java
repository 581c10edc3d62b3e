package io.sandboxspi.docker;

import io.sandboxspi.core.posix.PosixLauncher;
import io.sandboxspi.core.posix.PosixRunner;
import io.sandboxspi.core.posix.PosixState;
import io.sandboxspi.core.time.Lane;
import io.sandboxspi.docker.attach.AttachReactor;
import io.sandboxspi.docker.engine.EngineException;
import io.sandboxspi.docker.engine.Refusal;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.LaunchId;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Processes that were started beforehand, so that a launch does not pay for the engine's start of a
 * process: with a terminal, each for one launch, and without, each for one after another. Without
 * one a launch is made afresh. Thread-safe.
 */
final class Spares {
  private static final Logger LOG = LoggerFactory.getLogger(Spares.class);
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final Duration DISMISSAL = Duration.ofSeconds(1);

  private final Execs execs;
  private final PosixLauncher posix;
  private final PosixState state;
  private final ControlLink control;
  private final AttachReactor reactor;
  private final Lane lane;
  private final Stock<Spare> terminals;
  private final Stock<Runner> runners;

  /**
   * Starts nothing yet.
   *
   * @param limit how many of each kind wait at most
   */
  Spares(
      int limit,
      Execs execs,
      PosixLauncher posix,
      PosixState state,
      ControlLink control,
      AttachReactor reactor,
      Lane lane) {
    this.execs = execs;
    this.posix = posix;
    this.state = state;
    this.control = control;
    this.reactor = reactor;
    this.lane = lane;
    this.terminals = new Stock<>(limit, lane, this::terminal);
    this.runners = new Stock<>(limit, lane, this::runner);
  }

  /** One with a terminal, if one waits; whoever has it gives it away or discards it. */
  Optional<Spare> takeTerminal() {
    return terminals.take();
  }

  /** One without a terminal, if one waits; it comes back by itself. */
  Optional<Runner> takeRunner() {
    return runners.take();
  }

  /** How many wait. */
  int waiting(boolean terminal) {
    return terminal ? terminals.waiting() : runners.waiting();
  }

  /** A launch of this kind was made: the stock is filled up soon. */
  void used(boolean terminal) {
    if (terminal) {
      terminals.used();
    } else {
      runners.used();
    }
  }

  private Optional<Spare> terminal(LaunchId id, Deadline deadline) throws InterruptedException {
    Execs.Spec spec = new Execs.Spec(posix.spare(id), Map.of(), true, true);
    Spare spare = new Spare(id, execs.start(spec, deadline), reactor, terminals::lost);
    boolean waits = false;
    try {
      waits = spare.awaitReady(deadline);
    } finally {
      if (!waits) {
        spare.close();
      }
    }
    return waits ? Optional.of(spare) : Optional.empty();
  }

  private Optional<Runner> runner(LaunchId id, Deadline deadline) throws InterruptedException {
    PosixRunner text = PosixRunner.of(state, id);
    Execs.Spec spec = new Execs.Spec(text.argv(), Map.of(), false, true);
    Execs.Started started = execs.start(spec, deadline);
    Runner runner = new Runner(text, id, started, reactor, lane, this::free, runners::lost);
    boolean waits = false;
    try {
      runner.prepare(deadline);
      waits = runner.awaitReady(deadline);
    } finally {
      if (!waits) {
        runner.close();
      }
    }
    return waits ? Optional.of(runner) : Optional.empty();
  }

  /** On the reactor's thread. */
  private void free(Runner runner) {
    if (runners.back(runner)) {
      lane.execute(() -> runner.prepare(Deadline.after(PATIENCE)));
    } else {
      runner.close();
    }
  }

  /** One that was taken and has not taken its launch, or perhaps has: it ends. */
  void discard(Spare spare) {
    spare.drain();
    lane.execute(
        () -> {
          dismiss(List.of(spare.id()), Deadline.after(PATIENCE));
          spare.close();
        });
  }

  /** Whether the launch is one that waits here. */
  boolean knows(LaunchId id) {
    return terminals.knows(id);
  }

  /** Ends all that wait, if the container answers; there are no more from now on. */
  void end(Deadline deadline) {
    // Runners end with their input.
    List<LaunchId> unused = runners.end();
    List<LaunchId> ids = terminals.end();
    Duration left = deadline.remaining();
    if (!ids.isEmpty()) {
      dismiss(ids, Deadline.after(left.compareTo(DISMISSAL) < 0 ? left : DISMISSAL));
    }
  }

  private void dismiss(List<LaunchId> ids, Deadline deadline) {
    try {
      Object unused = control.ask(posix.dismiss(ids), deadline);
    } catch (EngineException | Refusal e) {
      LOG.debug("{} spares may wait on in the container", ids.size(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Lets go of everything on this side; never waits. */
  void close() {
    terminals.close();
    runners.close();
  }
}
