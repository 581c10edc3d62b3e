package io.sandboxspi.remote.shell;

import io.sandboxspi.Capability;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExitStatus;
import io.sandboxspi.Operation;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.core.files.ShellFiles;
import io.sandboxspi.core.posix.LaunchOption;
import io.sandboxspi.core.posix.LaunchReport;
import io.sandboxspi.core.posix.PosixLauncher;
import io.sandboxspi.core.posix.PosixRecords;
import io.sandboxspi.core.posix.PosixState;
import io.sandboxspi.core.posix.PosixStatus;
import io.sandboxspi.core.time.Callback;
import io.sandboxspi.core.time.Lane;
import io.sandboxspi.core.time.LaneTask;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.spi.BackendFiles;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.LaunchId;
import io.sandboxspi.spi.LaunchRequest;
import io.sandboxspi.spi.ProcessListener;
import io.sandboxspi.spi.SandboxProcess;
import io.sandboxspi.spi.TerminationOutcome;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Launches, kills and files of one sandbox over a {@link Machine}: the larger part of a backend.
 * Thread-safe.
 */
public final class ShellBackend {
  private static final Logger LOG = LoggerFactory.getLogger(ShellBackend.class);
  private static final Duration RECORD = Duration.ofSeconds(2);

  private final Machine machine;
  private final String workspace;
  private final PosixState state;
  private final Lane lane;
  private final Lane killLane;
  private final Launches launches = new Launches();
  private final ControlLink control;
  private final ControlLink fileLink;
  private final Kills kills;
  private final ShellFiles files;
  private final PosixLauncher posix;
  private volatile @Nullable LaneTask<Boolean> early;
  private volatile boolean closed;

  /** What every vendor's sandbox can do by this shell, and more that the vendor adds. */
  public static Set<Capability> capabilities(Capability... more) {
    Set<Capability> all =
        EnumSet.of(
            Capability.TTY,
            Capability.STDIN_AFTER_START,
            Capability.EXIT_CODE_RELIABLE,
            Capability.SEPARATE_STDERR,
            Capability.RESIZE,
            Capability.SIGNALS,
            Capability.KILL_GROUP,
            Capability.KILL_ESCAPED,
            Capability.CLIENT_CHOSEN_ID,
            Capability.REATTACH);
    Collections.addAll(all, more);
    return all;
  }

  /**
   * Makes no call.
   *
   * @param session names the threads
   * @param workspace absolute
   * @param state where launches are recorded; of the user that the machine starts processes as
   */
  public ShellBackend(Machine machine, String session, String workspace, PosixState state) {
    this(new FirstShell(machine, session), session, workspace, state);
  }

  /**
   * Makes no call.
   *
   * @param first asked already, or not; closed with this
   * @param session names the threads
   * @param workspace absolute
   * @param state where launches are recorded; of the user that the machine starts processes as
   */
  public ShellBackend(FirstShell first, String session, String workspace, PosixState state) {
    this.machine = first.machine();
    this.workspace = workspace;
    this.state = state;
    this.lane = first.lane();
    this.killLane = Lane.platform("sandbox-" + session + "-kill");
    this.control = first.link();
    // A shell of their own: a slow file must not keep a kill waiting.
    this.fileLink = new ControlLink(machine, state.shell(), ShellFiles.library(), lane);
    this.kills = new Kills(machine, control, state, launches, killLane);
    this.files =
        ShellFiles.over(new FileAccess(fileLink, machine, state.directory() + ".files"), workspace);
    this.posix =
        PosixLauncher.of(
            state,
            Set.of(
                LaunchOption.ANNOUNCE,
                LaunchOption.SUPERVISE,
                LaunchOption.TERMINAL_SIZE,
                LaunchOption.NATIVE_ENVIRONMENT));
  }

  /** As {@link io.sandboxspi.spi.SandboxBackend#launch}. */
  public SandboxProcess launch(LaunchRequest request, ProcessListener listener, Deadline deadline)
      throws InterruptedException {
    LaunchId mark = LaunchId.random();
    Launch launch =
        new Launch(
            request.id(), mark, request.terminal().isPresent(), listener, this::endedUnmarked);
    launches.add(launch);
    boolean done = false;
    try {
      Running running = start(launch, mark, request, deadline);
      LaunchReport report = announcement(launch, deadline);
      if (!(report instanceof LaunchReport.Started)) {
        throw failure(launch, request, report);
      }
      done = true;
      return new ShellProcess(launch, running, control, state, launches);
    } catch (RemoteException e) {
      throw failed(e);
    } finally {
      if (!done) {
        // The engine ends by its id what may have started.
        launch.fail();
        launches.forget(launch);
      }
    }
  }

  private Running start(Launch launch, LaunchId mark, LaunchRequest request, Deadline deadline)
      throws InterruptedException {
    String directory =
        request
            .workdir()
            .map(dir -> dir.startsWith("/") ? dir : workspace + "/" + dir)
            .orElse(workspace);
    PosixLauncher launcher = posix.exitMark(mark);
    Machine.Start start =
        new Machine.Start(
            launcher.argv(request, directory),
            launcher.environment(request),
            request.terminal(),
            request.openInput() || launch.terminal());
    Running running = machine.start(start, launch, deadline);
    launch.running().complete(running);
    return running;
  }

  private static LaunchReport announcement(Launch launch, Deadline deadline)
      throws InterruptedException {
    try {
      return launch.announced().get(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new RemoteException(Kind.TIMEOUT, "the program did not start in time", e);
    } catch (ExecutionException e) {
      throw new RemoteException(Kind.CLOSED, "the launch was ended while its program started", e);
    }
  }

  private static SandboxException failure(
      Launch launch, LaunchRequest request, LaunchReport report) {
    if (report instanceof LaunchReport.Failed failed) {
      return failed.exception(Operation.COMMAND_START, request.argv().get(0));
    }
    if (report == LaunchReport.Refused.INSTANCE) {
      return Launches.killed();
    }
    Optional<RemoteException> broken = launch.broken();
    if (broken.isPresent()) {
      return new RemoteException(
              Kind.BROKEN, "the connection broke while the program started", broken.get())
          .as(ErrorCode.TRANSPORT, Operation.COMMAND_START)
          .build();
    }
    return SandboxException.builder(
            ErrorCode.LAUNCH_FAILED,
            Operation.COMMAND_START,
            "the program was not started: " + launch.words())
        .retryable(Retryable.UNKNOWN)
        .context("program", request.argv().get(0))
        .build();
  }

  private static SandboxException failed(RemoteException e) {
    ErrorCode code =
        switch (e.kind()) {
          case TIMEOUT -> ErrorCode.OPEN_TIMEOUT;
          case REFUSED -> ErrorCode.LAUNCH_FAILED;
          default -> ErrorCode.TRANSPORT;
        };
    return e.as(code, Operation.COMMAND_START).build();
  }

  /** Its stream is over, and the launcher did not say how the program ended. */
  private void endedUnmarked(Launch launch) {
    lane.execute(
        () -> {
          try {
            launch.tellExit(status(launch));
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            launch.tellExit(new ExitStatus.Lost("the wait for the exit status was interrupted"));
          }
        });
  }

  private ExitStatus status(Launch launch) throws InterruptedException {
    Output.End end = launch.over().join();
    if (end.broken().isPresent()) {
      String why = "the connection to the process broke";
      // Output of pipes would seem to be whole.
      return launch.terminal()
          ? recorded(launch).orElse(new ExitStatus.Lost(why))
          : new ExitStatus.Lost(why);
    }
    ExitStatus told =
        end.status().orElse(new ExitStatus.Lost("the vendor does not say how the process ended"));
    if (told instanceof ExitStatus.Exited exited && !launch.killed()) {
      // Without a word of its supervisor: that was killed, or could not write.
      return recorded(launch)
          .orElse(exited.code() > 128 ? new ExitStatus.Signalled(exited.code() - 128) : told);
    }
    return told instanceof ExitStatus.Exited exited && exited.code() > 128
        ? new ExitStatus.Signalled(exited.code() - 128)
        : told;
  }

  private Optional<ExitStatus> recorded(Launch launch) throws InterruptedException {
    try {
      List<LaunchId> ids = List.of(launch.id());
      String answer = control.ask(PosixStatus.command(state, ids), Deadline.after(RECORD)).text();
      return PosixStatus.parse(ids, answer).get(launch.id()) instanceof LaunchReport.Ended ended
          ? Optional.of(ended.status())
          : Optional.empty();
    } catch (RemoteException e) {
      LOG.debug("no record of {}", launch.id(), e);
      return Optional.empty();
    }
  }

  /** As {@link io.sandboxspi.spi.SandboxBackend#kill}. */
  public TerminationOutcome kill(LaunchId id, Deadline deadline) throws InterruptedException {
    TerminationOutcome outcome = kills.kill(List.of(id), deadline).get(id);
    return outcome != null
        ? outcome
        : TerminationOutcome.unconfirmed(new IllegalStateException("the kill gave no answer"));
  }

  /** As {@link io.sandboxspi.spi.SandboxBackend#killAll}. */
  public Map<LaunchId, TerminationOutcome> killAll(List<LaunchId> ids, Deadline deadline)
      throws InterruptedException {
    return ids.isEmpty() ? Map.of() : kills.kill(ids, deadline);
  }

  /**
   * As {@link io.sandboxspi.spi.SandboxBackend#killOthers}: whoever launches in the sandbox leaves
   * a record there.
   */
  public TerminationOutcome killOthers(Deadline deadline) throws InterruptedException {
    Deadline half = Deadline.after(deadline.remaining().dividedBy(2));
    List<LaunchId> others;
    try {
      others =
          PosixRecords.parse(ask(PosixRecords.command(state), half)).stream()
              .filter(id -> !launches.knows(id))
              .toList();
    } catch (RemoteException e) {
      return kills.diagnosed(e, deadline);
    }
    for (TerminationOutcome outcome : killAll(others, deadline).values()) {
      if (!outcome.proven()) {
        return outcome;
      }
    }
    return TerminationOutcome.confirmed();
  }

  /** As {@link io.sandboxspi.spi.SandboxBackend#files}. */
  public BackendFiles files() {
    return files;
  }

  /**
   * Runs a command of the launcher's package, or any that is well formed, and answers its output.
   */
  public String ask(String command, Deadline deadline) throws InterruptedException {
    return control.ask(command, deadline).text();
  }

  /**
   * Ends the shells that are kept in the sandbox, for a moment at which nothing may run in it; the
   * next call starts others.
   */
  public void rest(Deadline deadline) throws InterruptedException {
    fileLink.rest(deadline);
    control.rest(deadline);
  }

  /** As {@link Machine#condition}. */
  Optional<Machine.Condition> condition(Deadline deadline) throws InterruptedException {
    return machine.condition(deadline);
  }

  /** Runs one task on a thread of the backend that a close interrupts. */
  void executeUntilClosed(Runnable task) {
    LaneTask<Boolean> mine =
        lane.call(
            () -> {
              task.run();
              return true;
            });
    Callback.when(
        mine,
        (done, failure) -> {
          if (failure != null) {
            LOG.error("a task failed", failure);
          }
        });
    early = mine;
    if (closed) {
      mine.interrupt();
    }
  }

  /** Lets go of everything on this side; never needs the sandbox. Idempotent. */
  public void close() {
    closed = true;
    LaneTask<Boolean> mine = early;
    if (mine != null) {
      // Of a sandbox that is deleted a vendor may say nothing at all.
      mine.interrupt();
    }
    launches.close();
    fileLink.close();
    control.close();
    lane.retire();
    killLane.retire();
  }
}
