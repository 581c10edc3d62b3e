package io.sandboxspi.remote.shell;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.core.posix.ShellText;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.spi.BackendFiles;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.LaunchId;
import io.sandboxspi.spi.LaunchRequest;
import io.sandboxspi.spi.Liveness;
import io.sandboxspi.spi.ProcessListener;
import io.sandboxspi.spi.ReleaseOutcome;
import io.sandboxspi.spi.SandboxBackend;
import io.sandboxspi.spi.SandboxProcess;
import io.sandboxspi.spi.TerminationOutcome;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the backends of all vendors do alike: one sandbox by its shell. Thread-safe. */
public abstract class RemoteBackend implements SandboxBackend {
  private static final Logger LOG = LoggerFactory.getLogger(RemoteBackend.class);
  private static final Duration WARM_UP = Duration.ofSeconds(20);

  private final String sandbox;
  private volatile boolean detached;

  /**
   * For one sandbox.
   *
   * @param sandbox the vendor's name of it, for people
   */
  protected RemoteBackend(String sandbox) {
    this.sandbox = sandbox;
  }

  /** Through which everything in the sandbox goes. */
  protected abstract ShellBackend shell();

  /** Lets go of everything on this side; never needs the sandbox. Idempotent. */
  protected abstract void close();

  /** Does with the sandbox what is to be done at the end of a session, after {@link #close}. */
  protected abstract ReleaseOutcome leave(Deadline deadline) throws InterruptedException;

  /**
   * Makes the workspace, and makes sure that the sandbox can do what is needed. The shell that does
   * it is kept: the first kill finds it ready.
   */
  public final void makeWorkspace(Deadline deadline) throws InterruptedException {
    String workspace = ShellText.quote(shell().files().workspace());
    String command = "mkdir -p " + workspace + " && cd " + workspace + " && cd / && echo fine";
    if (!shell().ask(command, deadline).equals("fine\n")) {
      throw SandboxException.of(
          ErrorCode.CREATE_FAILED,
          Operation.CREATE,
          "the workspace " + workspace + " cannot be made");
    }
  }

  /** Soon starts the shell that kills go through, so that the first kill finds it. */
  public final void warmUp() {
    shell()
        .executeUntilClosed(
            () -> {
              try {
                String unused = shell().ask(":", Deadline.after(WARM_UP));
              } catch (RemoteException e) {
                LOG.debug("no shell is kept in sandbox {} yet", sandbox, e);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
  }

  @Override
  public SandboxProcess launch(LaunchRequest request, ProcessListener listener, Deadline deadline)
      throws InterruptedException {
    try {
      return shell().launch(request, listener, deadline);
    } catch (SandboxException e) {
      throw explained(e, deadline);
    }
  }

  /** A refusal or a silence on the way says only that there is nothing that answers. */
  private SandboxException explained(SandboxException failure, Deadline deadline)
      throws InterruptedException {
    if (!(failure.getCause() instanceof RemoteException) || deadline.expired()) {
      return failure;
    }
    Machine.Condition found;
    try {
      found = shell().condition(deadline).orElse(Machine.Condition.of(Machine.State.RUNNING));
    } catch (RemoteException e) {
      failure.addSuppressed(e);
      return failure;
    }
    if (found.state() == Machine.State.RUNNING) {
      return failure;
    }
    boolean gone = found.state() == Machine.State.GONE;
    return SandboxException.builder(
            gone ? ErrorCode.BACKEND_GONE : ErrorCode.BACKEND_NOT_RUNNING,
            failure.operation(),
            gone ? "the sandbox does not exist any more" : "the sandbox is " + found.word())
        .cause(failure)
        .context("state", gone ? "gone" : found.word())
        .context("sandbox", sandbox)
        .build();
  }

  @Override
  public final TerminationOutcome kill(LaunchId id, Deadline deadline) throws InterruptedException {
    return shell().kill(id, deadline);
  }

  @Override
  public final Map<LaunchId, TerminationOutcome> killAll(List<LaunchId> ids, Deadline deadline)
      throws InterruptedException {
    return shell().killAll(ids, deadline);
  }

  @Override
  public final TerminationOutcome killOthers(Deadline deadline) throws InterruptedException {
    return shell().killOthers(deadline);
  }

  @Override
  public final BackendFiles files() {
    return shell().files();
  }

  @Override
  public final Liveness probe(Deadline deadline) throws InterruptedException {
    try {
      Optional<Machine.Condition> found = shell().condition(deadline);
      if (found.isPresent()) {
        return found.get().state().liveness();
      }
      return shell().ask("echo fine", deadline).equals("fine\n")
          ? Liveness.RUNNING
          : Liveness.UNKNOWN;
    } catch (RemoteException e) {
      return Liveness.UNKNOWN;
    }
  }

  @Override
  public final void detach(Deadline deadline) {
    detached = true;
    close();
  }

  @Override
  public final ReleaseOutcome release(Deadline deadline) throws InterruptedException {
    close();
    return detached ? ReleaseOutcome.DONE : leave(deadline);
  }

  @Override
  public final String toString() {
    return getClass().getSimpleName() + "[" + sandbox + "]";
  }
}
