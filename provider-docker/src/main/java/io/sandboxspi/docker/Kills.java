package io.sandboxspi.docker;

import io.sandboxspi.ExitStatus;
import io.sandboxspi.core.posix.KillBatches;
import io.sandboxspi.core.posix.LaunchReport;
import io.sandboxspi.core.posix.PosixKill;
import io.sandboxspi.core.posix.PosixState;
import io.sandboxspi.core.time.Lane;
import io.sandboxspi.docker.engine.EngineException;
import io.sandboxspi.docker.engine.Refusal;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.LaunchId;
import io.sandboxspi.spi.TerminationOutcome;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends launches: their streams are drained first, because some engines wedge a container when a
 * process is killed whose stream is open and unread (moby#53614); then one script in the container
 * ends all of them. Without an answer only the container's state is evidence.
 */
final class Kills {
  private static final Logger LOG = LoggerFactory.getLogger(Kills.class);

  private static final int SIGKILL = 9;

  private final String container;
  private final Containers containers;
  private final ControlLink control;
  private final PosixState state;
  private final Launches launches;
  private final ExitWatch exits;
  private final Runnable unblock;
  private final KillBatches batches;

  /**
   * Ends nothing yet.
   *
   * @param unblock ends what may keep the engine from taking calls to the container
   */
  Kills(
      String container,
      Containers containers,
      ControlLink control,
      PosixState state,
      Launches launches,
      ExitWatch exits,
      Lane lane,
      Runnable unblock) {
    this.container = container;
    this.containers = containers;
    this.control = control;
    this.state = state;
    this.launches = launches;
    this.exits = exits;
    this.unblock = unblock;
    this.batches = new KillBatches(lane::execute, this::run);
  }

  /** Ends launches. Calls that come while a script runs share the next one. */
  Map<LaunchId, TerminationOutcome> kill(List<LaunchId> ids, Deadline deadline)
      throws InterruptedException {
    return batches.kill(ids, deadline);
  }

  private Map<LaunchId, TerminationOutcome> run(List<LaunchId> ids, Deadline deadline)
      throws InterruptedException {
    List<Launch> streaming = launches.killing(ids);
    Map<LaunchId, TerminationOutcome> outcomes;
    try {
      String answer = ask(ids, deadline);
      outcomes = PosixKill.parse(ids, answer);
      tellEnds(streaming, outcomes, PosixKill.ends(ids, answer));
    } catch (EngineException | Refusal e) {
      outcomes = diagnosed(ids, e, deadline);
    }
    outcomes.forEach(
        (id, outcome) -> {
          if (outcome.proven()) {
            launches.ended(id);
          }
        });
    return outcomes;
  }

  /**
   * Engines take their time to report many ends, and the script knows: a program ended as recorded,
   * or was killed with its supervisor, which held the stream open until then.
   */
  private void tellEnds(
      List<Launch> streaming,
      Map<LaunchId, TerminationOutcome> outcomes,
      Map<LaunchId, LaunchReport.Ended> ends) {
    for (Launch launch : streaming) {
      LaunchReport.Ended end = ends.get(launch.id());
      if (end != null) {
        exits.tell(launch, end.status());
      } else if (outcomes.get(launch.id()) == TerminationOutcome.Confirmed.INSTANCE) {
        exits.tell(launch, new ExitStatus.Signalled(SIGKILL));
      } else if (outcomes.get(launch.id()) == TerminationOutcome.AlreadyGone.INSTANCE) {
        exits.find(launch);
      }
    }
  }

  /** A shell that is stuck or gone gets a successor, once; the last part is for the diagnosis. */
  private String ask(List<LaunchId> ids, Deadline deadline) throws InterruptedException {
    try {
      return attempt(ids, part(deadline, 2, 5));
    } catch (EngineException e) {
      if (e.kind() == EngineException.Kind.UNREACHABLE) {
        throw e;
      }
      LOG.debug("a kill got no answer: once more", e);
      unblock.run();
      return attempt(ids, part(deadline, 3, 5));
    }
  }

  private String attempt(List<LaunchId> ids, Duration limit) throws InterruptedException {
    String command = PosixKill.command(state, ids, limit.multipliedBy(4).dividedBy(5));
    return control.ask(command, Deadline.after(limit)).text();
  }

  private static Duration part(Deadline deadline, int of, int all) {
    return deadline.remaining().multipliedBy(of).dividedBy(all);
  }

  private Map<LaunchId, TerminationOutcome> diagnosed(
      List<LaunchId> ids, RuntimeException failure, Deadline deadline) throws InterruptedException {
    TerminationOutcome outcome;
    try {
      Containers.State now = containers.describe(container, deadline).state();
      outcome =
          switch (now) {
            case GONE, STOPPED -> TerminationOutcome.alreadyGone();
            case PAUSED -> KillBatches.unconfirmed("the container is paused", failure);
            case RUNNING -> KillBatches.unconfirmed("the container gave no answer", failure);
          };
    } catch (EngineException | Refusal e) {
      failure.addSuppressed(e);
      outcome = KillBatches.unconfirmed("the engine gave no answer", failure);
    }
    return KillBatches.all(ids, outcome);
  }
}
