package io.sandboxspi.remote.e2b;

import io.sandboxspi.Capability;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.remote.shell.Marks;
import io.sandboxspi.remote.shell.SandboxFailures;
import io.sandboxspi.remote.shell.ShellBackend;
import io.sandboxspi.remote.transport.ClientOptions;
import io.sandboxspi.remote.transport.ErrorBody;
import io.sandboxspi.remote.transport.HttpTransport;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RetryPolicy;
import io.sandboxspi.remote.transport.Undo;
import io.sandboxspi.remote.transport.Variables;
import io.sandboxspi.spi.Availability;
import io.sandboxspi.spi.BackendRef;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.ListedBackend;
import io.sandboxspi.spi.NativeSnapshots;
import io.sandboxspi.spi.ReleaseOutcome;
import io.sandboxspi.spi.SandboxBackend;
import io.sandboxspi.spi.SandboxProvider;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs sandboxes on E2B. {@code E2B_API_KEY} must be set in the environment, or as a property of
 * the JVM; {@code E2B_DOMAIN}, {@code E2B_API_URL} and {@code E2B_SANDBOX_URL} may be.
 * docs/providers/e2b.md lists the options. Thread-safe.
 */
public final class E2bProvider implements SandboxProvider {
  /** The name it is opened by. */
  public static final String NAME = "e2b";

  private static final Logger LOG = LoggerFactory.getLogger(E2bProvider.class);

  private final UnaryOperator<String> lookup;
  private final Map<String, E2bBackend> live = new ConcurrentHashMap<>();

  /** Makes no connection. */
  public E2bProvider() {
    this(Variables.ofProcess());
  }

  private E2bProvider(UnaryOperator<String> lookup) {
    this.lookup = lookup;
  }

  /** With these settings instead of the environment's; by the names of the variables. */
  public static E2bProvider with(Map<String, String> settings) {
    return new E2bProvider(Variables.of(settings));
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Set<Capability> capabilities() {
    Set<Capability> capabilities = ShellBackend.capabilities(Capability.PORTS, Capability.LIST);
    if (nativeSnapshots().isPresent()) {
      capabilities.add(Capability.NATIVE_SNAPSHOTS);
    }
    return capabilities;
  }

  @Override
  public Availability availability() {
    try {
      return E2bSettings.read(lookup).key().isPresent()
          ? Availability.available()
          : Availability.unavailable(
              E2bSettings.KEY + " is not set: make a key on the vendor's site and set it");
    } catch (SandboxException wrong) {
      return Availability.unavailable(String.valueOf(wrong.getMessage()));
    }
  }

  /** Present if {@code SANDBOX_E2B_SNAPSHOTS} says so. */
  @Override
  public Optional<NativeSnapshots> nativeSnapshots() {
    try {
      return E2bSettings.read(lookup).vendorSnapshots()
          ? Optional.of(new E2bSnapshots(this))
          : Optional.empty();
    } catch (SandboxException saidByAvailability) {
      return Optional.empty();
    }
  }

  ControlPlane controlPlane(ClientOptions client) {
    E2bSettings settings = E2bSettings.read(lookup);
    Object unused = settings.neededKey();
    return new ControlPlane(
        HttpTransport.of(client, RetryPolicy.DEFAULT, ErrorBody::common), settings);
  }

  /** A backend of this object that was not deleted. */
  Optional<E2bBackend> live(String sandbox) {
    return Optional.ofNullable(live.get(sandbox));
  }

  @Override
  public SandboxBackend create(BackendRequest request, Deadline deadline)
      throws InterruptedException {
    return make(request, Optional.empty(), deadline);
  }

  /** Makes one, from a snapshot if that is given, whatever the options say of its template. */
  E2bBackend make(BackendRequest request, Optional<String> from, Deadline deadline)
      throws InterruptedException {
    E2bOptions given = E2bOptions.parse(request.options(), request.durable());
    E2bOptions options = from.map(given::from).orElse(given);
    ControlPlane controlPlane = controlPlane(options.client());
    Map<String, String> metadata = Listing.marks(request, options);
    Optional<String> sandbox = Optional.empty();
    boolean sent = true;
    boolean done = false;
    try {
      Access access = controlPlane.create(options, metadata, deadline);
      sandbox = Optional.of(access.sandbox());
      E2bBackend backend =
          greeted(
              Reach.of(
                  request.sessionId(),
                  controlPlane,
                  controlPlane.transport(),
                  access,
                  options.user(),
                  options.streamKeepAlive(),
                  options.timeout(),
                  options.onTimeout() == E2bOptions.OnTimeout.PAUSE),
              access.sandbox(),
              options,
              deadline);
      live.put(access.sandbox(), backend);
      done = true;
      return backend;
    } catch (RemoteException e) {
      sent = sandbox.isPresent() || !e.nothingDone();
      throw SandboxFailures.creation(e, e.refusedWith(401) || e.refusedWith(403));
    } finally {
      if (!done && sent) {
        discard(controlPlane, sandbox, request.sessionId());
      }
    }
  }

  private static E2bBackend greeted(
      Reach reach, String sandbox, E2bOptions options, Deadline deadline)
      throws InterruptedException {
    boolean done = false;
    try {
      E2bRef ref = Greeting.greet(reach.shell(), sandbox, options, deadline);
      done = true;
      return new E2bBackend(ref, reach);
    } finally {
      if (!done) {
        reach.close();
      }
    }
  }

  /** Removes what was made, or what may have been made without an answer: it is marked. */
  private static void discard(ControlPlane controlPlane, Optional<String> sandbox, String session) {
    Undo.attempt(
        deadline -> {
          if (sandbox.isPresent()) {
            boolean unused = controlPlane.remove(sandbox.get(), deadline);
          } else {
            for (ControlPlane.Listed each : controlPlane.find(Marks.SESSION, session, deadline)) {
              boolean unused = controlPlane.remove(each.sandbox(), deadline);
            }
          }
        },
        e -> LOG.warn("a sandbox of session {} may be left until its time is over", session, e));
  }

  /** Wakes a sandbox that is paused. */
  @Override
  public SandboxBackend attach(BackendRef given, Deadline deadline) throws InterruptedException {
    E2bRef ref = E2bRef.parse(given);
    ControlPlane controlPlane = controlPlane(ref.client());
    try {
      Access access = controlPlane.connect(ref.sandbox(), ref.timeout(), deadline);
      Listing.take(controlPlane.transport(), access, ref, deadline);
      E2bBackend backend =
          new E2bBackend(
              ref,
              Reach.of(
                  ref.sandbox() + "-again",
                  controlPlane,
                  controlPlane.transport(),
                  access,
                  ref.user(),
                  ref.streamKeepAlive(),
                  ref.timeout(),
                  ref.resumes()));
      live.put(ref.sandbox(), backend);
      return backend;
    } catch (RemoteException e) {
      ErrorCode code = e.said(404) ? ErrorCode.BACKEND_GONE : ErrorCode.TRANSPORT;
      throw e.as(code, Operation.CREATE).context("sandbox", ref.sandbox()).build();
    }
  }

  @Override
  public ReleaseOutcome delete(BackendRef given, Deadline deadline) throws InterruptedException {
    String sandbox = E2bRef.sandbox(given);
    E2bBackend backend = live.remove(sandbox);
    if (backend != null) {
      backend.close();
    }
    try {
      return controlPlane(E2bRef.client(given)).remove(sandbox, deadline)
          ? ReleaseOutcome.DESTROYED
          : ReleaseOutcome.ALREADY_GONE;
    } catch (RemoteException e) {
      throw SandboxFailures.release(Operation.DELETE, sandbox, e);
    }
  }

  /** Every sandbox of the key's team that has this provider's metadata. */
  @Override
  public List<ListedBackend> list(Map<String, String> options, Deadline deadline)
      throws InterruptedException {
    ClientOptions client = E2bOptions.parse(options, false).client();
    ControlPlane controlPlane = controlPlane(client);
    try {
      return new Listing(controlPlane, controlPlane.transport()).all(client, deadline);
    } catch (RemoteException e) {
      throw e.as(ErrorCode.TRANSPORT, Operation.DISCOVER).build();
    }
  }
}
