package io.sandboxspi.docker;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.core.posix.LaunchOption;
import io.sandboxspi.core.posix.LaunchReport;
import io.sandboxspi.core.posix.PosixLauncher;
import io.sandboxspi.core.posix.PosixRunner;
import io.sandboxspi.core.posix.PosixState;
import io.sandboxspi.docker.attach.AttachReactor;
import io.sandboxspi.docker.engine.EngineException;
import io.sandboxspi.docker.engine.Refusal;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.LaunchRequest;
import io.sandboxspi.spi.ProcessListener;
import io.sandboxspi.spi.SandboxProcess;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Starts programs in the container and waits until each says that it runs. */
final class Launcher {
  private static final Duration ANSWER = Duration.ofSeconds(2);

  private final String container;
  private final String workspace;
  private final Containers containers;
  private final Execs execs;
  private final ControlLink control;
  private final PosixState state;
  private final AttachReactor reactor;
  private final Launches launches;
  private final ExitWatch exits;
  private final PosixLauncher posix;
  private final Spares spares;

  Launcher(
      String container,
      String workspace,
      Containers containers,
      Execs execs,
      ControlLink control,
      PosixState state,
      AttachReactor reactor,
      Launches launches,
      ExitWatch exits,
      PosixLauncher posix,
      Spares spares) {
    this.container = container;
    this.workspace = workspace;
    this.containers = containers;
    this.execs = execs;
    this.control = control;
    this.state = state;
    this.reactor = reactor;
    this.launches = launches;
    this.exits = exits;
    this.posix = posix;
    this.spares = spares;
  }

  static PosixLauncher posix(PosixState state) {
    return PosixLauncher.of(
        state,
        Set.of(
            LaunchOption.ANNOUNCE,
            LaunchOption.SUPERVISE,
            LaunchOption.TERMINAL_SIZE,
            LaunchOption.NATIVE_ENVIRONMENT));
  }

  SandboxProcess launch(LaunchRequest request, ProcessListener listener, Deadline deadline)
      throws InterruptedException {
    Launch launch = new Launch(request.id(), request.terminal().isPresent(), listener, exits::over);
    launches.add(launch);
    boolean done = false;
    try {
      ProcessStream stream = start(launch, request, deadline);
      launch.attached().complete(stream);
      LaunchReport report = announcement(launch, deadline);
      spares.used(launch.terminal());
      if (!(report instanceof LaunchReport.Started)) {
        throw failure(launch, request, report, deadline);
      }
      done = true;
      exits.watch();
      return new DockerProcess(launch, stream, execs, control, state);
    } catch (Refusal refusal) {
      throw refused(refusal, deadline);
    } catch (EngineException e) {
      throw Failures.ofLaunch(e);
    } finally {
      if (!done) {
        // The engine ends by its id what may have started; its stream must be read until then.
        launch.silence();
        if (!launch.declined()) {
          boolean unused = launch.attached().thenAccept(ProcessStream::drain).isDone();
        }
        if (launch.over().isDone() || !launch.attached().isDone()) {
          launches.forget(launch);
        }
      }
    }
  }

  private ProcessStream start(Launch launch, LaunchRequest request, Deadline deadline)
      throws InterruptedException {
    String directory =
        request
            .workdir()
            .map(dir -> dir.startsWith("/") ? dir : workspace + "/" + dir)
            .orElse(workspace);
    if (!launch.terminal() && PosixRunner.takes(request)) {
      Optional<Runner> runner = spares.takeRunner();
      if (runner.isPresent()) {
        Optional<ProcessStream> lease = runner.get().run(launch, request, directory, deadline);
        if (lease.isPresent()) {
          return lease.get();
        }
      }
    }
    Optional<Spare> spare = launch.terminal() ? spares.takeTerminal() : Optional.empty();
    if (spare.isPresent() && taken(spare.get(), launch, request, directory, deadline)) {
      return spare.get().give(launch);
    }
    Execs.Spec spec =
        new Execs.Spec(
            posix.argv(request, directory),
            posix.environment(request),
            launch.terminal(),
            request.openInput() || launch.terminal());
    String exec = execs.create(spec, deadline);
    launch.started(exec);
    Execs.Started started = execs.attach(exec, launch.terminal(), deadline);
    return ProcessStream.of(reactor.attach(started.connection(), launch.terminal(), launch));
  }

  /** Whether a spare takes a launch. Without an answer it may have: then the launch has failed. */
  private boolean taken(
      Spare spare, Launch launch, LaunchRequest request, String directory, Deadline deadline)
      throws InterruptedException {
    boolean taken = false;
    try {
      spare.offer(launch);
      String command = posix.release(spare.id(), request, directory);
      Deadline part = Deadline.after(within(ANSWER, deadline.remaining().dividedBy(2)));
      taken = PosixLauncher.released(spare.id(), control.ask(command, part).text());
      return taken;
    } catch (EngineException e) {
      throw unanswered(e, deadline);
    } finally {
      if (!taken) {
        spares.discard(spare);
      }
    }
  }

  /** What is wrong counts as much as the container's state explains it. */
  private SandboxException unanswered(EngineException failure, Deadline deadline)
      throws InterruptedException {
    try {
      Containers.State now = containers.describe(container, deadline).state();
      if (now != Containers.State.RUNNING) {
        return notRunning(now, Retryable.UNKNOWN).cause(failure).build();
      }
    } catch (EngineException | Refusal e) {
      failure.addSuppressed(e);
    }
    return Failures.ofLaunch(failure);
  }

  /** A container that cannot start anything now is told long before the deadline. */
  private LaunchReport announcement(Launch launch, Deadline deadline) throws InterruptedException {
    try {
      return announcement(launch, within(ANSWER, deadline.remaining().dividedBy(2)));
    } catch (EngineException late) {
      if (late.kind() != EngineException.Kind.TIMEOUT) {
        throw late;
      }
      try {
        Containers.State now = containers.describe(container, deadline).state();
        if (now != Containers.State.RUNNING) {
          throw notRunning(now, Retryable.UNKNOWN).cause(late).build();
        }
      } catch (EngineException | Refusal e) {
        late.addSuppressed(e);
      }
    }
    return announcement(launch, deadline.remaining());
  }

  private static Duration within(Duration most, Duration left) {
    return left.compareTo(most) < 0 ? left : most;
  }

  private static LaunchReport announcement(Launch launch, Duration patience)
      throws InterruptedException {
    try {
      return launch.announced().get(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new EngineException(
          EngineException.Kind.TIMEOUT, "the program did not start in time", e);
    } catch (ExecutionException e) {
      throw new EngineException(
          EngineException.Kind.BROKEN, "the sandbox was released while the program started", e);
    }
  }

  private SandboxException failure(
      Launch launch, LaunchRequest request, LaunchReport report, Deadline deadline)
      throws InterruptedException {
    if (report instanceof LaunchReport.Failed failed) {
      return failed.exception(Operation.COMMAND_START, request.argv().get(0));
    }
    if (report == LaunchReport.Refused.INSTANCE) {
      return Launches.killed();
    }
    Containers.State now = containers.describe(container, deadline).state();
    if (now != Containers.State.RUNNING) {
      return notRunning(now, Retryable.UNKNOWN).build();
    }
    return SandboxException.builder(
            ErrorCode.LAUNCH_FAILED,
            Operation.COMMAND_START,
            "the program was not started: " + launch.words())
        .retryable(Retryable.UNKNOWN)
        .context("program", request.argv().get(0))
        .build();
  }

  private SandboxException refused(Refusal refusal, Deadline deadline) throws InterruptedException {
    Containers.State now;
    try {
      now = containers.describe(container, deadline).state();
    } catch (EngineException | Refusal e) {
      refusal.addSuppressed(e);
      return Failures.of(Operation.COMMAND_START, refusal);
    }
    // The engine refuses before it starts anything.
    return now == Containers.State.RUNNING
        ? SandboxException.builder(
                ErrorCode.LAUNCH_FAILED,
                Operation.COMMAND_START,
                "the engine refuses: " + refusal.getMessage())
            .cause(refusal)
            .context("status", refusal.status())
            .build()
        : notRunning(now, Retryable.YES).cause(refusal).build();
  }

  private static SandboxException.Builder notRunning(Containers.State now, Retryable retryable) {
    boolean gone = now == Containers.State.GONE;
    return SandboxException.builder(
            gone ? ErrorCode.BACKEND_GONE : ErrorCode.BACKEND_NOT_RUNNING,
            Operation.COMMAND_START,
            gone
                ? "the container does not exist any more"
                : "the sandbox is not running: its container is "
                    + now.name().toLowerCase(java.util.Locale.ROOT))
        .retryable(gone ? Retryable.NO : retryable)
        .context("state", now);
  }
}
