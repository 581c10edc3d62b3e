package io.sandboxspi.docker;

import io.sandboxspi.ExitStatus;
import io.sandboxspi.core.posix.LaunchReport;
import io.sandboxspi.core.posix.PosixState;
import io.sandboxspi.core.posix.PosixStatus;
import io.sandboxspi.core.time.EngineClock;
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
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out how launches ended. When a stream is over it asks the launcher's record and then the
 * engine; while streams are open it asks for the records of all of them at intervals, because a
 * descendant may hold the stream. What nobody knows is {@link ExitStatus.Lost}, never a code.
 */
final class ExitWatch {
  private static final Logger LOG = LoggerFactory.getLogger(ExitWatch.class);
  private static final Duration PATIENCE = Duration.ofSeconds(6);
  private static final Duration ASK = Duration.ofSeconds(2);
  private static final Duration SOONEST = Duration.ofMillis(100);
  private static final Duration LATEST = Duration.ofMillis(500);
  // A supervisor needs a moment between the end of the stream and the end of itself.
  private static final Duration CUT = Duration.ofSeconds(1);
  private static final int SIGNAL_BASE = 128;

  private final Execs execs;
  private final ControlLink control;
  private final PosixState state;
  private final AttachReactor reactor;
  private final Lane lane;
  private final Launches launches;

  private final Set<LaunchId> asking = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean polling = new AtomicBoolean();
  private volatile boolean closed;

  ExitWatch(
      Execs execs,
      ControlLink control,
      PosixState state,
      AttachReactor reactor,
      Lane lane,
      Launches launches) {
    this.execs = execs;
    this.control = control;
    this.state = state;
    this.reactor = reactor;
    this.lane = lane;
    this.launches = launches;
  }

  void close() {
    closed = true;
  }

  /** A launch runs. */
  void watch() {
    if (!closed && polling.compareAndSet(false, true)) {
      arm(SOONEST);
    }
  }

  /** A stream is over; on the reactor's thread. */
  void over(Launch launch) {
    find(launch);
  }

  /** Asks for an exit, once at a time. */
  void find(Launch launch) {
    boolean wanted = launch.running() && !launch.exitKnown() && !closed;
    if (wanted && asking.add(launch.id())) {
      lane.execute(
          () -> {
            try {
              tell(launch, status(launch));
            } finally {
              asking.remove(launch.id());
            }
          });
    }
  }

  /** Tells an exit, once, whoever found it. */
  void tell(Launch launch, ExitStatus status) {
    reactor.execute(() -> launch.tellExit(status));
  }

  private ExitStatus status(Launch launch) {
    Deadline deadline = Deadline.after(PATIENCE);
    Optional<Exception> broken = launch.over().getNow(Optional.empty());
    try {
      if (broken.isPresent()) {
        return recorded(launch, Deadline.after(CUT))
            .orElseGet(() -> lost("the connection to the process broke"));
      }
      return launch.killed() ? afterKill(launch, deadline) : afterEnd(launch, deadline);
    } catch (EngineException e) {
      LOG.debug("no exit status of {}", launch.id(), e);
      return lost("the engine does not say how the process ended: " + e.getMessage());
    } catch (Refusal e) {
      LOG.debug("no exit status of {}", launch.id(), e);
      return lost("the container does not run any more: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return lost("the wait for the exit status was interrupted");
    }
  }

  private ExitStatus afterKill(Launch launch, Deadline deadline) throws InterruptedException {
    if (!launch.leased()) {
      return fromEngine(launch, deadline);
    }
    // Its exec ends with a code of its own; the kill's answer is on its way.
    Deadline soon = Deadline.after(CUT);
    Optional<ExitStatus> recorded = recorded(launch, soon);
    Pause pause = new Pause();
    while (recorded.isEmpty() && !launch.exitKnown() && !soon.expired()) {
      pause.next(deadline);
    }
    return recorded.orElseGet(() -> lost("it was killed"));
  }

  private ExitStatus afterEnd(Launch launch, Deadline deadline) throws InterruptedException {
    Deadline cut = Deadline.after(CUT);
    Pause pause = new Pause();
    while (true) {
      LaunchReport report;
      try {
        report = report(launch, within(ASK, deadline));
      } catch (EngineException | Refusal e) {
        LOG.debug("no record of {}: the engine may know", launch.id(), e);
        return fromEngine(launch, deadline);
      }
      if (report instanceof LaunchReport.Ended ended) {
        return ended.status();
      }
      if (!(report instanceof LaunchReport.Started) || launch.killed()) {
        return fromEngine(launch, deadline);
      }
      // A supervisor holds the stream open as long as it lives.
      if (cut.expired()) {
        return lost("the connection to the process was cut");
      }
      pause.next(deadline);
    }
  }

  private ExitStatus fromEngine(Launch launch, Deadline deadline) throws InterruptedException {
    OptionalInt code = execs.exitCode(launch.exec(), deadline);
    if (code.isEmpty()) {
      return lost("the container was removed, or the engine forgot the process");
    }
    int value = code.getAsInt();
    if (value < 0 || value > 255) {
      return lost("the engine says that the exit code is " + value);
    }
    return value > SIGNAL_BASE
        ? new ExitStatus.Signalled(value - SIGNAL_BASE)
        : new ExitStatus.Exited(value);
  }

  private Optional<ExitStatus> recorded(Launch launch, Deadline deadline)
      throws InterruptedException {
    try {
      return report(launch, deadline) instanceof LaunchReport.Ended ended
          ? Optional.of(ended.status())
          : Optional.empty();
    } catch (EngineException | Refusal e) {
      LOG.debug("no record of {}", launch.id(), e);
      return Optional.empty();
    }
  }

  private LaunchReport report(Launch launch, Deadline deadline) throws InterruptedException {
    List<LaunchId> ids = List.of(launch.id());
    String answer = control.ask(PosixStatus.command(state, ids), deadline).text();
    LaunchReport report = PosixStatus.parse(ids, answer).get(launch.id());
    return report == null ? LaunchReport.Unknown.INSTANCE : report;
  }

  private static Deadline within(Duration most, Deadline deadline) {
    Duration left = deadline.remaining();
    return Deadline.after(left.compareTo(most) < 0 ? left : most);
  }

  private static ExitStatus lost(String why) {
    return new ExitStatus.Lost(why);
  }

  // While streams are open

  private void arm(Duration delay) {
    var unused =
        EngineClock.system()
            .schedule(
                delay,
                () -> {
                  if (closed) {
                    polling.set(false);
                  } else {
                    lane.execute(() -> poll(delay));
                  }
                });
  }

  private void poll(Duration last) {
    List<Launch> open = watched();
    if (open.isEmpty()) {
      polling.set(false);
      if (!watched().isEmpty()) {
        watch();
      }
      return;
    }
    boolean news = false;
    try {
      news = ask(open);
    } catch (EngineException | Refusal e) {
      LOG.debug("no news of {} launches", open.size(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      polling.set(false);
      return;
    }
    Duration next = news ? SOONEST : last.multipliedBy(3).dividedBy(2);
    arm(next.compareTo(LATEST) < 0 ? next : LATEST);
  }

  private List<Launch> watched() {
    return launches.all().stream()
        .filter(l -> l.running() && !l.exitKnown() && !l.killed())
        .filter(l -> !l.over().isDone())
        .toList();
  }

  private boolean ask(List<Launch> open) throws InterruptedException {
    List<LaunchId> ids = open.stream().map(Launch::id).toList();
    String answer = control.ask(PosixStatus.command(state, ids), Deadline.after(ASK)).text();
    Map<LaunchId, LaunchReport> reports = PosixStatus.parse(ids, answer);
    boolean news = false;
    for (Launch launch : open) {
      LaunchReport report = reports.get(launch.id());
      if (report instanceof LaunchReport.Ended ended) {
        tell(launch, ended.status());
        news = true;
      } else if (report == LaunchReport.EndedUnseen.INSTANCE) {
        find(launch);
        news = true;
      }
    }
    return news;
  }
}
