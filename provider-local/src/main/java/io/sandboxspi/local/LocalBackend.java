package io.sandboxspi.local;

import io.sandboxspi.Endpoint;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.local.driver.DriverProcess;
import io.sandboxspi.local.driver.SpawnException;
import io.sandboxspi.local.driver.SpawnRequest;
import io.sandboxspi.local.driver.WindowSize;
import io.sandboxspi.local.files.LocalFiles;
import io.sandboxspi.local.files.TreeRemoval;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Processes of this machine in one workspace. */
final class LocalBackend implements SandboxBackend {
  private static final Logger LOG = LoggerFactory.getLogger(LocalBackend.class);

  private final LocalWorkspace workspace;
  private final LocalOptions options;
  private final LocalEnvironment environment;
  private final Optional<Bubblewrap> confinement;
  private final SharedDriver.Lease lease;
  private final Optional<OwnerJournal> journal;
  private final LocalFiles files;
  private final Launches launches = new Launches();
  private final AtomicBoolean released = new AtomicBoolean();

  LocalBackend(
      LocalWorkspace workspace,
      LocalOptions options,
      LocalEnvironment environment,
      Optional<Bubblewrap> confinement,
      SharedDriver.Lease lease,
      Optional<OwnerJournal> journal) {
    this.workspace = workspace;
    this.options = options;
    this.environment = environment;
    this.confinement = confinement;
    this.lease = lease;
    this.journal = journal;
    this.files = new LocalFiles(workspace.directory());
  }

  LocalWorkspace workspace() {
    return workspace;
  }

  @Override
  public BackendRef ref() {
    Map<String, String> data = new HashMap<>(workspace.data());
    data.putAll(options.data());
    return new BackendRef(LocalProvider.NAME, data);
  }

  @Override
  public SandboxProcess launch(LaunchRequest request, ProcessListener listener, Deadline deadline) {
    Launches.Launch launch = launches.begin(request.id());
    DriverProcess process;
    try {
      journal.ifPresent(open -> open.launching(request.id()));
      process = lease.driver().spawn(spawnRequest(request), new ListenerAdapter(listener));
    } catch (SpawnException e) {
      launches.failed(launch);
      throw failure(request, e);
    } catch (RuntimeException | Error e) {
      launches.failed(launch);
      throw e;
    }
    launches.started(launch, process);
    return new LocalProcess(process);
  }

  private SpawnRequest spawnRequest(LaunchRequest request) throws SpawnException {
    String root = workspace.directory().toString();
    String directory =
        request.workdir().map(dir -> dir.startsWith("/") ? dir : root + "/" + dir).orElse(root);
    SpawnRequest plain =
        new SpawnRequest(
            request.argv(),
            environment.of(request),
            directory,
            request.terminal().map(size -> new WindowSize(size.columns(), size.rows())),
            request.openInput());
    return confinement.isPresent() ? confinement.get().wrap(plain, root) : plain;
  }

  private static SandboxException failure(LaunchRequest request, SpawnException cause) {
    ErrorCode code =
        switch (cause.kind()) {
          case NOT_FOUND -> ErrorCode.COMMAND_NOT_FOUND;
          case NOT_EXECUTABLE -> ErrorCode.COMMAND_NOT_EXECUTABLE;
          case BAD_DIRECTORY -> ErrorCode.WORKING_DIRECTORY_NOT_FOUND;
          case INVALID -> ErrorCode.INVALID_ARGUMENT;
          case LIMIT, OTHER -> ErrorCode.LAUNCH_FAILED;
        };
    boolean again = cause.kind() == SpawnException.Kind.LIMIT;
    return SandboxException.builder(
            code, Operation.COMMAND_START, String.valueOf(cause.getMessage()))
        .cause(cause)
        .retryable(again ? Retryable.YES : Retryable.NO)
        .context("program", request.argv().get(0))
        .context("errno", cause.errno())
        .build();
  }

  @Override
  public TerminationOutcome kill(LaunchId id, Deadline deadline) throws InterruptedException {
    TerminationOutcome outcome = killAll(List.of(id), deadline).get(id);
    return outcome != null ? outcome : TerminationOutcome.unconfirmed(noAnswer());
  }

  private static IllegalStateException noAnswer() {
    return new IllegalStateException("the sweep gave no answer");
  }

  @Override
  public Map<LaunchId, TerminationOutcome> killAll(List<LaunchId> ids, Deadline deadline)
      throws InterruptedException {
    return launches.kill(ids, LocalProcess.nanos(deadline));
  }

  @Override
  public TerminationOutcome killOthers(Deadline deadline) throws InterruptedException {
    try {
      OwnerJournal.endOthers(workspace, journal, deadline);
      return TerminationOutcome.confirmed();
    } catch (IOException e) {
      return TerminationOutcome.unconfirmed(e);
    }
  }

  @Override
  public Set<Integer> ports() {
    return options.ports();
  }

  /** Processes share this machine's network. */
  @Override
  public Endpoint endpoint(int port, Deadline deadline) {
    return Endpoint.plain("127.0.0.1", port);
  }

  /** Temporary files stay, too: somebody else may be attached. */
  @Override
  public void detach(Deadline deadline) throws InterruptedException {
    endAll(deadline);
    letGo();
  }

  private void letGo() {
    if (released.compareAndSet(false, true)) {
      LiveBackends.remove(this);
      lease.close();
      journal.ifPresent(LocalBackend::close);
    }
  }

  private static void close(OwnerJournal journal) {
    try {
      journal.close();
    } catch (IOException e) {
      // What it names has ended: whoever reads it finds nothing.
      LOG.debug("a journal is left", e);
    }
  }

  @Override
  public BackendFiles files() {
    return files;
  }

  @Override
  public Liveness probe(Deadline deadline) {
    return workspace.exists() ? Liveness.RUNNING : Liveness.GONE;
  }

  /**
   * Ends what is left of processes, and removes temporary files; the workspace stays. A failure may
   * be retried.
   */
  @Override
  public ReleaseOutcome release(Deadline deadline) throws InterruptedException {
    if (released.get()) {
      return ReleaseOutcome.ALREADY_GONE;
    }
    endAll(deadline);
    try {
      workspace.release(check(deadline));
    } catch (IOException e) {
      throw releaseFailure("its temporary files cannot be removed").cause(e).build();
    }
    letGo();
    return ReleaseOutcome.DESTROYED;
  }

  /** Ends every launch and refuses further ones. */
  void endAll(Deadline deadline) throws InterruptedException {
    launches.close();
    Map<LaunchId, TerminationOutcome> outcomes = killAll(launches.ids(), deadline);
    for (TerminationOutcome outcome : outcomes.values()) {
      if (outcome instanceof TerminationOutcome.Unconfirmed unconfirmed) {
        throw releaseFailure("not every process is proven ended")
            .cause(unconfirmed.cause())
            .build();
      }
    }
  }

  static TreeRemoval.Check check(Deadline deadline) {
    return () -> {
      if (Thread.interrupted()) {
        throw new InterruptedException("interrupted while files were removed");
      }
      if (deadline.expired()) {
        throw releaseFailure("removing its files did not end by the deadline").build();
      }
    };
  }

  static SandboxException.Builder releaseFailure(String why) {
    return SandboxException.builder(
            ErrorCode.BACKEND_RELEASE_FAILED,
            Operation.SHUTDOWN,
            "the local sandbox is not gone: " + why)
        .retryable(Retryable.YES);
  }

  @Override
  public String toString() {
    return "LocalBackend[" + workspace.directory() + "]";
  }
}
