package io.sandboxspi.remote.modal;

import io.sandboxspi.Capability;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.remote.modal.wire.SandboxInfo;
import io.sandboxspi.remote.shell.Machine.State;
import io.sandboxspi.remote.shell.Marks;
import io.sandboxspi.remote.shell.SandboxFailures;
import io.sandboxspi.remote.shell.ShellBackend;
import io.sandboxspi.remote.transport.ClientOptions;
import io.sandboxspi.remote.transport.RemoteException;
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
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

/**
 * Runs sandboxes on Modal. {@code MODAL_TOKEN_ID} and {@code MODAL_TOKEN_SECRET} must be set in the
 * environment, as properties of the JVM, or in {@code ~/.modal.toml}. docs/providers/modal.md lists
 * the other settings and the options. Thread-safe.
 */
public final class ModalProvider implements SandboxProvider {
  /** The name it is opened by. */
  public static final String NAME = "modal";

  private final UnaryOperator<String> lookup;
  private final Map<String, ModalBackend> live = new ConcurrentHashMap<>();
  private final Map<Account, ControlPlane> planes = new ConcurrentHashMap<>();

  /** Sessions of one account share its token. */
  private record Account(Settings settings, ClientOptions client) {}

  /** Makes no connection. */
  public ModalProvider() {
    this(Variables.ofProcess());
  }

  private ModalProvider(UnaryOperator<String> lookup) {
    this.lookup = lookup;
  }

  /** With these settings instead of the environment's; by the names of the variables. */
  public static ModalProvider with(Map<String, String> settings) {
    return new ModalProvider(Variables.of(settings));
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
      return Settings.read(lookup).credentials().isPresent()
          ? Availability.available()
          : Availability.unavailable(Settings.missing());
    } catch (SandboxException wrong) {
      return Availability.unavailable(String.valueOf(wrong.getMessage()));
    }
  }

  /** Present if {@code SANDBOX_MODAL_SNAPSHOTS} says so. */
  @Override
  public Optional<NativeSnapshots> nativeSnapshots() {
    Settings.Snapshots kind;
    try {
      kind = Settings.read(lookup).snapshots();
    } catch (SandboxException saidByAvailability) {
      return Optional.empty();
    }
    return kind == Settings.Snapshots.ARCHIVE
        ? Optional.empty()
        : Optional.of(new ModalSnapshots(this, kind));
  }

  ControlPlane plane(ClientOptions client) {
    Settings settings = Settings.read(lookup);
    Object unused = settings.neededCredentials();
    return planes.computeIfAbsent(
        new Account(settings, client),
        account -> new ControlPlane(new ControlCalls(account.settings(), account.client())));
  }

  /** A backend of this object that is open. */
  Optional<ModalBackend> live(String sandbox) {
    return Optional.ofNullable(live.get(sandbox)).filter(known -> !known.router().isClosed());
  }

  @Override
  public SandboxBackend create(BackendRequest request, Deadline deadline)
      throws InterruptedException {
    return make(request, Optional.empty(), Optional.empty(), deadline);
  }

  ModalBackend make(
      BackendRequest request, Optional<String> image, Optional<String> mounted, Deadline deadline)
      throws InterruptedException {
    ModalOptions options = ModalOptions.parse(request.options(), request.durable());
    ModalBackend backend =
        new SandboxMaker(plane(options.client())).make(request, options, image, mounted, deadline);
    live.put(backend.modalRef().sandbox(), backend);
    return backend;
  }

  @Override
  public SandboxBackend attach(BackendRef given, Deadline deadline) throws InterruptedException {
    ModalRef ref = ModalRef.parse(given);
    ControlPlane plane = plane(ref.client());
    try {
      if (plane.state(ref.sandbox(), deadline) == State.GONE) {
        throw SandboxFailures.gone(ref.sandbox());
      }
      Tags.take(plane, ref.sandbox(), deadline);
    } catch (RemoteException e) {
      throw e.as(ErrorCode.TRANSPORT, Operation.CREATE).context("sandbox", ref.sandbox()).build();
    }
    ModalBackend backend =
        new ModalBackend(
            ref, ref.sandbox() + "-again", new Router(plane, ref.sandbox()), List.of());
    live.put(ref.sandbox(), backend);
    return backend;
  }

  @Override
  public ReleaseOutcome delete(BackendRef ref, Deadline deadline) throws InterruptedException {
    String sandbox = ModalRef.sandbox(ref);
    ModalBackend backend = live.remove(sandbox);
    if (backend != null) {
      backend.close();
    }
    try {
      return plane(ModalRef.client(ref)).terminate(sandbox, deadline);
    } catch (RemoteException e) {
      throw SandboxFailures.release(Operation.DELETE, sandbox, e);
    }
  }

  /** Of the app that the options name. */
  @Override
  public List<ListedBackend> list(Map<String, String> given, Deadline deadline)
      throws InterruptedException {
    ModalOptions options = ModalOptions.parse(given, false);
    ControlPlane plane = plane(options.client());
    List<ListedBackend> listed = new ArrayList<>();
    try {
      Optional<String> app =
          plane.findApp(options.app(), plane.calls().settings().environment(), deadline);
      if (app.isEmpty()) {
        return listed;
      }
      for (SandboxInfo sandbox : plane.list(app.get(), List.of(), deadline)) {
        Tags.value(sandbox, Marks.SESSION)
            .ifPresent(
                session ->
                    listed.add(
                        new ListedBackend(
                            ModalRef.naming(sandbox.getId(), options.client()),
                            session,
                            Tags.value(sandbox, Marks.OWNER).orElse(""),
                            Instant.ofEpochMilli((long) (sandbox.getCreatedAt() * 1000)))));
      }
      return listed;
    } catch (RemoteException e) {
      throw e.as(ErrorCode.TRANSPORT, Operation.DISCOVER).build();
    }
  }
}
