package io.sandboxspi.remote.blaxel;

import io.sandboxspi.Endpoint;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.core.posix.PosixState;
import io.sandboxspi.core.time.Lane;
import io.sandboxspi.remote.shell.RemoteBackend;
import io.sandboxspi.remote.shell.SandboxFailures;
import io.sandboxspi.remote.shell.ShellBackend;
import io.sandboxspi.remote.transport.HttpCall;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.Variables;
import io.sandboxspi.spi.BackendRef;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.ReleaseOutcome;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** One sandbox in use. */
final class BlaxelBackend extends RemoteBackend {
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
    super(sandbox);
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

  @Override
  protected ShellBackend shell() {
    return shell;
  }

  @Override
  public BackendRef ref() {
    return ref;
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
          Variables.address(
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

  @Override
  protected void close() {
    shell.close();
    lane.retire();
  }

  @Override
  protected ReleaseOutcome leave(Deadline deadline) throws InterruptedException {
    boolean keep = !labels.getOrDefault(Labels.ON_RELEASE, "").equals("DELETE");
    if (plane.isEmpty() || keep) {
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
      throw SandboxFailures.release(operation, sandbox, e);
    }
    try {
      Object unused = plane.await(sandbox, Description::gone, false, deadline);
    } catch (RemoteException e) {
      if (!Wire.gone(e)) {
        throw SandboxFailures.release(operation, sandbox, e);
      }
    }
    return ReleaseOutcome.DESTROYED;
  }
}
