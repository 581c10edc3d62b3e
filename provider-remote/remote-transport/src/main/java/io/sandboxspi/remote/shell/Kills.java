package io.sandboxspi.remote.shell;

import io.sandboxspi.ExitStatus;
import io.sandboxspi.core.posix.KillBatches;
import io.sandboxspi.core.posix.LaunchReport;
import io.sandboxspi.core.posix.PosixKill;
import io.sandboxspi.core.posix.PosixState;
import io.sandboxspi.core.time.Lane;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.LaunchId;
import io.sandboxspi.spi.TerminationOutcome;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends launches by one script in the sandbox, which ends whole trees and proves it. Without an
 * answer only the vendor's word that the sandbox is gone is evidence.
 */
final class Kills {
  private static final Logger LOG = LoggerFactory.getLogger(Kills.class);
  private static final int SIGKILL = 9;

  private final Machine machine;
  private final ControlLink control;
  private final PosixState state;
  private final Launches launches;
  private final KillBatches batches;

  Kills(Machine machine, ControlLink control, PosixState state, Launches launches, Lane lane) {
    this.machine = machine;
    this.control = control;
    this.state = state;
    this.launches = launches;
    this.batches = new KillBatches(lane::execute, this::run);
  }

  /** Ends launches. Calls that come while a script runs share the next one. */
  Map<LaunchId, TerminationOutcome> kill(List<LaunchId> ids, Deadline deadline)
      throws InterruptedException {
    return batches.kill(ids, deadline);
  }

  private Map<LaunchId, TerminationOutcome> run(List<LaunchId> ids, Deadline deadline)
      throws InterruptedException {
    List<Launch> known = launches.killing(ids);
    Map<LaunchId, TerminationOutcome> outcomes;
    try {
      String answer = ask(ids, deadline);
      outcomes = PosixKill.parse(ids, answer);
      tell(known, outcomes, PosixKill.ends(ids, answer));
    } catch (RemoteException e) {
      outcomes = KillBatches.all(ids, diagnosed(e, deadline));
      tell(known, outcomes, Map.of());
    }
    return outcomes;
  }

  /** A program ended as recorded, or was killed with its supervisor. */
  private void tell(
      List<Launch> known,
      Map<LaunchId, TerminationOutcome> outcomes,
      Map<LaunchId, LaunchReport.Ended> ends) {
    for (Launch launch : known) {
      TerminationOutcome outcome = outcomes.get(launch.id());
      if (outcome != null && outcome.proven()) {
        LaunchReport.Ended end = ends.get(launch.id());
        launch.tellExit(end == null ? unseen(outcome) : end.status());
        launches.settle(launch);
      }
    }
  }

  private static ExitStatus unseen(TerminationOutcome outcome) {
    return outcome == TerminationOutcome.Confirmed.INSTANCE
        ? new ExitStatus.Signalled(SIGKILL)
        : new ExitStatus.Lost("it had ended before the kill, and nobody saw how");
  }

  /** A shell that has gone gets a successor, once; the last part is for the diagnosis. */
  private String ask(List<LaunchId> ids, Deadline deadline) throws InterruptedException {
    try {
      return attempt(ids, deadline);
    } catch (RemoteException e) {
      if (e.kind() != Kind.BROKEN && e.kind() != Kind.STALLED) {
        throw e;
      }
      LOG.debug("a kill got no answer: once more", e);
      return attempt(ids, deadline);
    }
  }

  private String attempt(List<LaunchId> ids, Deadline deadline) throws InterruptedException {
    Duration limit = deadline.remaining().multipliedBy(4).dividedBy(5);
    // The script gives up in time to say who lives.
    String command = PosixKill.command(state, ids, limit.multipliedBy(5).dividedBy(6));
    return control.ask(command, Deadline.after(limit)).text();
  }

  /** What is known without an answer of the sandbox. */
  TerminationOutcome diagnosed(RemoteException failure, Deadline deadline)
      throws InterruptedException {
    try {
      Machine.Condition found =
          machine.condition(deadline).orElse(Machine.Condition.of(Machine.State.RUNNING));
      return switch (found.state()) {
        case GONE, STOPPED -> TerminationOutcome.alreadyGone();
        case PAUSED -> KillBatches.unconfirmed("the sandbox is paused", failure);
        case RUNNING -> KillBatches.unconfirmed("the sandbox gave no answer", failure);
      };
    } catch (RemoteException e) {
      failure.addSuppressed(e);
      return KillBatches.unconfirmed("the vendor gave no answer", failure);
    }
  }
}
