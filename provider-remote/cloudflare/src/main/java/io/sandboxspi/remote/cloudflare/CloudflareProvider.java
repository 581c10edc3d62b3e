package io.sandboxspi.remote.cloudflare;

import io.sandboxspi.Capability;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.remote.shell.Machine;
import io.sandboxspi.remote.shell.SandboxFailures;
import io.sandboxspi.remote.shell.ShellBackend;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.Undo;
import io.sandboxspi.remote.transport.Variables;
import io.sandboxspi.spi.Availability;
import io.sandboxspi.spi.BackendRef;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.ListedBackend;
import io.sandboxspi.spi.ReleaseOutcome;
import io.sandboxspi.spi.SandboxBackend;
import io.sandboxspi.spi.SandboxProvider;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sandboxes of a Cloudflare sandbox bridge, a worker in its user's account. Thread-safe.
 *
 * <p>It needs {@code CLOUDFLARE_SANDBOX_WORKER_URL} and {@code CLOUDFLARE_SANDBOX_API_KEY} in the
 * environment, or as properties of the JVM; docs/providers/cloudflare.md lists the options.
 */
public final class CloudflareProvider implements SandboxProvider {
  /** The name it is opened by. */
  public static final String NAME = "cloudflare";

  private static final Logger LOG = LoggerFactory.getLogger(CloudflareProvider.class);

  private final Map<String, CloudflareBackend> live = new ConcurrentHashMap<>();
  private final Map<String, Sandbox> sandboxes = new ConcurrentHashMap<>();
  private final UnaryOperator<String> lookup;

  /** Makes no connection. */
  public CloudflareProvider() {
    this(Variables.ofProcess());
  }

  private CloudflareProvider(UnaryOperator<String> lookup) {
    this.lookup = lookup;
  }

  /** With these settings instead of the environment's; by the names of the variables. */
  public static CloudflareProvider with(Map<String, String> settings) {
    return new CloudflareProvider(Variables.of(settings));
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Set<Capability> capabilities() {
    return ShellBackend.capabilities(Capability.PORTS);
  }

  @Override
  public Availability availability() {
    try {
      return CloudflareSettings.read(lookup)
          .missing()
          .map(Availability::unavailable)
          .orElseGet(Availability::available);
    } catch (SandboxException wrong) {
      return Availability.unavailable(String.valueOf(wrong.getMessage()));
    }
  }

  private Bridge bridge(Map<String, String> connection) {
    return new Bridge(CloudflareSettings.read(lookup), connection);
  }

  @Override
  public SandboxBackend create(BackendRequest request, Deadline deadline)
      throws InterruptedException {
    CloudflareOptions options = CloudflareOptions.parse(request.options());
    Bridge bridge = bridge(options.given());
    String id = "";
    boolean done = false;
    try {
      id = bridge.makeId(deadline);
      bridge.wake(id, deadline);
      CloudflareRef ref = Greeting.greet(bridge, id, options, deadline);
      Sandbox sandbox = new Sandbox(bridge, ref);
      CloudflareBackend backend = new CloudflareBackend(ref, request.sessionId(), sandbox);
      sandboxes.put(id, sandbox);
      live.put(id, backend);
      backend.warmUp();
      done = true;
      return backend;
    } catch (RemoteException e) {
      throw SandboxFailures.creation(e, e.refusedWith(401) || e.refusedWith(403));
    } finally {
      // Without an id nothing was started.
      if (!done && !id.isEmpty()) {
        discard(bridge, id);
      }
    }
  }

  private static void discard(Bridge bridge, String id) {
    Undo.attempt(
        deadline -> bridge.delete(id, deadline),
        e -> LOG.warn("a container of sandbox {} may run until it sleeps", id, e));
  }

  @Override
  public SandboxBackend attach(BackendRef given, Deadline deadline) throws InterruptedException {
    CloudflareRef ref = CloudflareRef.parse(given);
    Sandbox sandbox = sandbox(ref);
    try {
      if (sandbox.state(deadline) != Machine.State.RUNNING) {
        throw SandboxException.builder(
                ErrorCode.BACKEND_GONE,
                Operation.CREATE,
                "the sandbox's container was stopped, and all in it is lost")
            .context("sandbox", ref.sandbox())
            .build();
      }
    } catch (RemoteException e) {
      throw e.as(ErrorCode.TRANSPORT, Operation.CREATE).context("sandbox", ref.sandbox()).build();
    }
    CloudflareBackend backend =
        new CloudflareBackend(ref, Long.toHexString(System.nanoTime()) + "-again", sandbox);
    live.put(ref.sandbox(), backend);
    backend.warmUp();
    return backend;
  }

  private Sandbox sandbox(CloudflareRef ref) {
    Bridge bridge = bridge(ref.connection());
    if (!bridge.worker().equals(ref.worker())) {
      throw SandboxException.invalid(
          CloudflareSettings.WORKER, bridge.worker(), "the sandbox's own: " + ref.worker());
    }
    // One for all who use it here, so that nobody starts it again when it is deleted.
    return sandboxes.compute(
        ref.sandbox(),
        (id, known) ->
            known != null && known.ref().instance().equals(ref.instance())
                ? known
                : new Sandbox(bridge, ref));
  }

  @Override
  public ReleaseOutcome delete(BackendRef given, Deadline deadline) throws InterruptedException {
    CloudflareRef ref = CloudflareRef.parse(given);
    CloudflareBackend backend = live.remove(ref.sandbox());
    if (backend != null) {
      backend.close();
    }
    Sandbox sandbox = sandbox(ref);
    ReleaseOutcome outcome = CloudflareBackend.delete(sandbox, Operation.DELETE, deadline);
    sandboxes.remove(ref.sandbox(), sandbox);
    return outcome;
  }

  /** The bridge tells nobody what it runs: fails, and says how much that is, if it can. */
  @Override
  public List<ListedBackend> list(Map<String, String> options, Deadline deadline)
      throws InterruptedException {
    Map<String, String> given = CloudflareOptions.parse(options).given();
    String now = "";
    try {
      long assigned = bridge(given).assigned(deadline);
      now = assigned < 0 ? "" : "; containers in use now: " + assigned;
    } catch (RemoteException e) {
      LOG.debug("the bridge does not say how many containers are in use", e);
    }
    throw SandboxException.of(
        ErrorCode.UNSUPPORTED,
        Operation.DISCOVER,
        "the bridge keeps no list of sandboxes, so none is found here: one that nobody uses stops"
            + " by itself after the deployment's sleepAfter"
            + now);
  }
}
