package io.sandboxspi.docker;

import io.sandboxspi.Capability;
import io.sandboxspi.Endpoint;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.core.files.LaunchAccess;
import io.sandboxspi.core.files.ShellFiles;
import io.sandboxspi.core.posix.ControlShell;
import io.sandboxspi.core.posix.PosixLauncher;
import io.sandboxspi.core.posix.PosixRecords;
import io.sandboxspi.core.posix.PosixState;
import io.sandboxspi.core.time.Lane;
import io.sandboxspi.docker.attach.AttachReactor;
import io.sandboxspi.docker.engine.Archives;
import io.sandboxspi.docker.engine.Engine;
import io.sandboxspi.docker.engine.EngineException;
import io.sandboxspi.docker.engine.Refusal;
import io.sandboxspi.spi.BackendFiles;
import io.sandboxspi.spi.BackendRef;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.LaunchId;
import io.sandboxspi.spi.LaunchRequest;
import io.sandboxspi.spi.Liveness;
import io.sandboxspi.spi.ProcessListener;
import io.sandboxspi.spi.ReleaseOutcome;
import io.sandboxspi.spi.SandboxBackend;
import io.sandboxspi.spi.SandboxProcess;
import io.sandboxspi.spi.TerminationOutcome;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** One container. */
final class DockerBackend implements SandboxBackend {
  private final BackendRef ref;
  private final String container;
  private final DockerOptions.OnRelease onRelease;
  private final Containers containers;
  private final PublishedPorts published;
  private final PosixState state;
  private volatile boolean left;
  private volatile Set<Capability> lacks = Set.of();
  private final AttachReactor reactor;
  private final AttachReactor questions;
  private final Lane lane;
  private final Lane killLane;
  private final Launches launches;
  private final ControlLink control;
  private final ExitWatch exits;
  private final Kills kills;
  private final Spares spares;
  private final Launcher launcher;
  private final KeptShell fileShell;
  private final ShellFiles files;

  DockerBackend(
      Engine engine,
      BackendRef ref,
      String session,
      String container,
      String workspace,
      int spares,
      DockerOptions.OnRelease onRelease) {
    this.ref = ref;
    this.container = container;
    this.onRelease = onRelease;
    this.containers = new Containers(engine);
    this.published = new PublishedPorts(engine);
    this.state = PosixState.in(ContainerMaker.STATE + "/launches");
    Execs execs = new Execs(engine, container);
    this.reactor = reactor("sandbox-" + session + "-streams");
    // A listener that hangs must not keep questions and kills from their answers.
    this.questions = reactor("sandbox-" + session + "-questions");
    this.lane = Lane.light("sandbox-" + session + "-docker");
    this.killLane = Lane.platform("sandbox-" + session + "-kill");
    this.launches = new Launches();
    this.control = new ControlLink(execs, questions, state.shell(), "");
    this.exits = new ExitWatch(execs, control, state, reactor, lane, launches);
    Archives archives = new Archives(engine, container);
    this.kills =
        new Kills(
            container, containers, control, state, launches, exits, killLane, archives::abort);
    PosixLauncher posix = Launcher.posix(state);
    this.spares = new Spares(spares, execs, posix, state, control, reactor, lane);
    this.launcher =
        new Launcher(
            container,
            workspace,
            containers,
            execs,
            control,
            state,
            reactor,
            launches,
            exits,
            posix,
            this.spares);
    // A shell of their own: a slow file must not keep a kill waiting.
    this.fileShell =
        new KeptShell(
            new ControlLink(execs, questions, state.shell(), ShellFiles.library()),
            new LaunchAccess(this, state.shell()),
            archives,
            Lane.platform("sandbox-" + session + "-archives"));
    this.files = ShellFiles.over(fileShell, workspace);
  }

  private static AttachReactor reactor(String name) {
    try {
      return new AttachReactor(name);
    } catch (IOException e) {
      throw Failures.create("no selector can be opened").cause(e).build();
    }
  }

  /** Makes sure that the container can do what is needed, and warms up what is kept. */
  void greet(Deadline deadline) throws InterruptedException {
    int code;
    try {
      ControlShell.Answer answer = control.ask("id -u", deadline);
      code = answer.code();
      if (!answer.text().strip().equals("0")) {
        lacks = Set.of(Capability.USERS);
      }
    } catch (Refusal refusal) {
      throw Failures.create("the container takes no commands: " + refusal.getMessage())
          .cause(refusal)
          .build();
    } catch (EngineException e) {
      throw Failures.of(Operation.CREATE, e);
    }
    if (code != 0) {
      throw Failures.create("the container's shell does not work: code " + code).build();
    }
  }

  Spares spares() {
    return spares;
  }

  /** Only root can become another user; one that was attached to learns it from the launcher. */
  @Override
  public Set<Capability> lacks() {
    return lacks;
  }

  @Override
  public BackendRef ref() {
    return ref;
  }

  @Override
  public SandboxProcess launch(LaunchRequest request, ProcessListener listener, Deadline deadline)
      throws InterruptedException {
    return launcher.launch(request, listener, deadline);
  }

  @Override
  public TerminationOutcome kill(LaunchId id, Deadline deadline) throws InterruptedException {
    TerminationOutcome outcome = kills.kill(List.of(id), deadline).get(id);
    return outcome != null
        ? outcome
        : TerminationOutcome.unconfirmed(new IllegalStateException("the kill gave no answer"));
  }

  @Override
  public Map<LaunchId, TerminationOutcome> killAll(List<LaunchId> ids, Deadline deadline)
      throws InterruptedException {
    return ids.isEmpty() ? Map.of() : kills.kill(ids, deadline);
  }

  /** Whoever launches in the container leaves a record there. */
  @Override
  public TerminationOutcome killOthers(Deadline deadline) throws InterruptedException {
    List<LaunchId> others;
    try {
      others =
          PosixRecords.parse(control.ask(PosixRecords.command(state), deadline).text()).stream()
              .filter(id -> !launches.knows(id) && !spares.knows(id))
              .toList();
    } catch (EngineException | Refusal e) {
      return switch (probe(deadline)) {
        case GONE -> TerminationOutcome.alreadyGone();
        case RUNNING, UNKNOWN -> TerminationOutcome.unconfirmed(e);
      };
    }
    for (TerminationOutcome outcome : killAll(others, deadline).values()) {
      if (!outcome.proven()) {
        return outcome;
      }
    }
    return TerminationOutcome.confirmed();
  }

  @Override
  public Set<Integer> ports() {
    return PublishedPorts.of(ref);
  }

  @Override
  public Endpoint endpoint(int port, Deadline deadline) throws InterruptedException {
    return published.find(container, port, deadline);
  }

  @Override
  public void detach(Deadline deadline) {
    left = true;
    // Whoever comes next does not know them.
    spares.end(deadline);
    close();
  }

  @Override
  public BackendFiles files() {
    return files;
  }

  @Override
  public Liveness probe(Deadline deadline) throws InterruptedException {
    try {
      return switch (containers.describe(container, deadline).state()) {
        case RUNNING -> Liveness.RUNNING;
        case GONE -> Liveness.GONE;
        case PAUSED, STOPPED -> Liveness.UNKNOWN;
      };
    } catch (EngineException | Refusal e) {
      return Liveness.UNKNOWN;
    }
  }

  /** Lets go of everything on this side; never needs the engine. */
  void close() {
    exits.close();
    spares.close();
    launches.close();
    fileShell.close();
    control.close();
    reactor.close();
    questions.close();
    lane.retire();
    killLane.retire();
  }

  @Override
  public ReleaseOutcome release(Deadline deadline) throws InterruptedException {
    if (onRelease == DockerOptions.OnRelease.KEEP && !left) {
      spares.end(deadline);
    }
    close();
    if (left) {
      return ReleaseOutcome.DONE;
    }
    try {
      switch (onRelease) {
        case KEEP -> {
          return ReleaseOutcome.DONE;
        }
        case STOP -> {
          return containers.stop(container, deadline);
        }
        case REMOVE -> {
          return containers.remove(container, deadline);
        }
      }
    } catch (EngineException | Refusal e) {
      throw SandboxException.builder(
              ErrorCode.BACKEND_RELEASE_FAILED,
              Operation.SHUTDOWN,
              "the container was not released: " + e.getMessage())
          .cause(e)
          .retryable(Retryable.YES)
          .context("container", container)
          .build();
    }
    return ReleaseOutcome.DONE;
  }

  @Override
  public String toString() {
    return "DockerBackend[" + container + "]";
  }
}
