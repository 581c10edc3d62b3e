package io.sandboxspi.remote.blaxel;

import io.sandboxspi.Endpoint;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.core.posix.PosixState;
import io.sandboxspi.core.posix.ShellText;
import io.sandboxspi.core.time.Lane;
import io.sandboxspi.remote.shell.ShellBackend;
import io.sandboxspi.remote.transport.HttpCall;
import io.sandboxspi.remote.transport.RemoteException;
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
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** One sandbox in use. */
final class BlaxelBackend implements SandboxBackend {
  private static final String STATE = "/.sandbox-spi";
  private static final Duration TOKEN_LIFE = Duration.ofHours(1);
  private static final int HTTPS = 443;
  private static final int HTTP = 80;

  private final BackendRef ref;
  private final String sandbox;
  private final Optional<ControlPlane> plane;
  private final SandboxApi api;
  private final Map<String, String> labels;
  private final Lane lane;
  private final ShellBackend shell;
  private volatile boolean detached;

  /**
   * Makes no call.
   *
   * @param session names the threads
   * @param home of the user that processes belong to; empty for the root directory
   * @param labels of the sandbox
   */
  BlaxelBackend(
      BackendRef ref,
      String session,
      String sandbox,
      Optional<ControlPlane> plane,
      SandboxApi api,
      String home,
      Map<String, String> labels) {
    this.ref = ref;
    this.sandbox = sandbox;
    this.plane = plane;
    this.api = api;
    this.labels = labels;
    this.lane = Lane.light("sandbox-" + session + "-blaxel");
    String state = home + STATE;
    this.shell =
        new ShellBackend(
            new BlaxelMachine(sandbox, plane, api, state + "-relays", lane),
            session,
            labels.getOrDefault(Labels.WORKSPACE, home + "/workspace"),
            PosixState.in(state));
  }

  /**
   * Makes the workspace, which no image has. The shell that does it is kept: the first kill finds
   * it ready.
   */
  void greet(Deadline deadline) throws InterruptedException {
    String workspace = ShellText.quote(shell.files().workspace());
    String answer =
        shell.ask(
            "mkdir -p " + workspace + " && cd " + workspace + " && cd / && echo fine", deadline);
    if (!answer.equals("fine\n")) {
      throw SandboxException.of(
          ErrorCode.CREATE_FAILED,
          Operation.CREATE,
          "the workspace " + workspace + " cannot be made");
    }
  }

  @Override
  public BackendRef ref() {
    return ref;
  }

  @Override
  public SandboxProcess launch(LaunchRequest request, ProcessListener listener, Deadline deadline)
      throws InterruptedException {
    try {
      return shell.launch(request, listener, deadline);
    } catch (SandboxException e) {
      throw explained(e, deadline);
    }
  }

  /** A refusal of the gateway says only that there is nothing that answers. */
  private SandboxException explained(SandboxException failure, Deadline deadline)
      throws InterruptedException {
    boolean gateway =
        failure.getCause() instanceof RemoteException refusal
            && (refusal.refusedWith(404) || refusal.refusedWith(502) || refusal.refusedWith(503));
    if (!gateway || plane.isEmpty()) {
      return failure;
    }
    String status;
    try {
      Description found = plane.get().describe(sandbox, deadline);
      if (found.deployed()) {
        return failure;
      }
      status = found.status();
    } catch (RemoteException e) {
      if (!Wire.gone(e)) {
        failure.addSuppressed(e);
        return failure;
      }
      status = "TERMINATED";
    }
    boolean gone = status.equals("TERMINATED");
    return SandboxException.builder(
            gone ? ErrorCode.BACKEND_GONE : ErrorCode.BACKEND_NOT_RUNNING,
            failure.operation(),
            gone ? "the sandbox does not exist any more" : "the sandbox is " + status)
        .cause(failure)
        .context("status", status)
        .context("sandbox", sandbox)
        .build();
  }

  @Override
  public TerminationOutcome kill(LaunchId id, Deadline deadline) throws InterruptedException {
    return shell.kill(id, deadline);
  }

  @Override
  public Map<LaunchId, TerminationOutcome> killAll(List<LaunchId> ids, Deadline deadline)
      throws InterruptedException {
    return shell.killAll(ids, deadline);
  }

  @Override
  public TerminationOutcome killOthers(Deadline deadline) throws InterruptedException {
    return shell.killOthers(deadline);
  }

  @Override
  public BackendFiles files() {
    return shell.files();
  }

  @Override
  public Liveness probe(Deadline deadline) throws InterruptedException {
    try {
      if (plane.isEmpty()) {
        return api.run("asking the agent", "echo fine", deadline).contains("fine")
            ? Liveness.RUNNING
            : Liveness.UNKNOWN;
      }
      Description found = plane.get().describe(sandbox, deadline);
      return found.gone() ? Liveness.GONE : found.deployed() ? Liveness.RUNNING : Liveness.UNKNOWN;
    } catch (RemoteException e) {
      return plane.isPresent() && Wire.gone(e) ? Liveness.GONE : Liveness.UNKNOWN;
    }
  }

  @Override
  public Set<Integer> ports() {
    return Labels.ports(labels);
  }

  @Override
  public Endpoint endpoint(int port, Deadline deadline) throws InterruptedException {
    if (plane.isEmpty()) {
      return Endpoint.plain(api.host(), port);
    }
    boolean open = labels.getOrDefault(Labels.PREVIEWS, "").equals("PUBLIC");
    try {
      URI uri =
          Settings.address(
              "the preview's address", plane.get().preview(sandbox, port, open, deadline));
      Optional<String> query =
          open
              ? Optional.empty()
              : Optional.of(
                  "bl_preview_token="
                      + HttpCall.encode(
                          plane.get().previewToken(sandbox, port, TOKEN_LIFE, deadline)));
      boolean tls = "https".equals(uri.getScheme());
      int outside = uri.getPort() > 0 ? uri.getPort() : tls ? HTTPS : HTTP;
      return new Endpoint(uri.getHost(), outside, tls, query);
    } catch (RemoteException e) {
      throw e.as(ErrorCode.PORT_UNAVAILABLE, Operation.ENDPOINT).context("port", port).build();
    }
  }

  /** Lets go of everything on this side; never needs the sandbox. */
  void close() {
    shell.close();
    lane.retire();
  }

  @Override
  public void detach(Deadline deadline) {
    detached = true;
    close();
  }

  @Override
  public ReleaseOutcome release(Deadline deadline) throws InterruptedException {
    close();
    boolean keep = !labels.getOrDefault(Labels.ON_RELEASE, "").equals("DELETE");
    if (plane.isEmpty() || detached || keep) {
      return ReleaseOutcome.DONE;
    }
    return delete(plane.get(), sandbox, Operation.SHUTDOWN, deadline);
  }

  /** Deletes a sandbox, and waits until nothing in it runs. */
  static ReleaseOutcome delete(
      ControlPlane plane, String sandbox, Operation operation, Deadline deadline)
      throws InterruptedException {
    try {
      plane.delete(sandbox, deadline);
    } catch (RemoteException e) {
      if (Wire.gone(e)) {
        return ReleaseOutcome.ALREADY_GONE;
      }
      throw failed(operation, e);
    }
    try {
      Object unused = plane.await(sandbox, Description::gone, false, deadline);
    } catch (RemoteException e) {
      if (!Wire.gone(e)) {
        throw failed(operation, e);
      }
    }
    return ReleaseOutcome.DESTROYED;
  }

  private static SandboxException failed(Operation operation, RemoteException e) {
    return SandboxException.builder(
            ErrorCode.BACKEND_RELEASE_FAILED,
            operation,
            "the sandbox was not deleted: " + e.getMessage())
        .cause(e)
        .retryable(e.retryable() == Retryable.NO ? Retryable.NO : Retryable.YES)
        .build();
  }

  @Override
  public String toString() {
    return "BlaxelBackend[" + sandbox + "]";
  }
}
