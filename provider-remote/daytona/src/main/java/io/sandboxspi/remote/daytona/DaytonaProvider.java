package io.sandboxspi.remote.daytona;

import io.sandboxspi.Capability;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.remote.shell.Marks;
import io.sandboxspi.remote.shell.SandboxFailures;
import io.sandboxspi.remote.shell.ShellBackend;
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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

/**
 * Sandboxes of Daytona, hosted or self-hosted. Thread-safe.
 *
 * <p>It needs {@code DAYTONA_API_KEY} in the environment, or as a property of the JVM;
 * docs/providers/daytona.md lists the other settings and the options.
 */
public final class DaytonaProvider implements SandboxProvider {
  /** The name it is opened by. */
  public static final String NAME = "daytona";

  private final Map<String, DaytonaBackend> live = new ConcurrentHashMap<>();
  private final UnaryOperator<String> lookup;

  /** Makes no connection. */
  public DaytonaProvider() {
    this(Variables.ofProcess());
  }

  private DaytonaProvider(UnaryOperator<String> lookup) {
    this.lookup = lookup;
  }

  /** With these settings instead of the environment's; by the names of the variables. */
  public static DaytonaProvider with(Map<String, String> settings) {
    return new DaytonaProvider(Variables.of(settings));
  }

  private Settings settings() {
    return Settings.of(lookup);
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
      return settings().missing().map(Availability::unavailable).orElseGet(Availability::available);
    } catch (SandboxException e) {
      return Availability.unavailable(String.valueOf(e.getMessage()));
    }
  }

  /** Present if {@code SANDBOX_DAYTONA_SNAPSHOTS} says so. */
  @Override
  public Optional<NativeSnapshots> nativeSnapshots() {
    try {
      return settings().vendorSnapshots()
          ? Optional.of(new DaytonaSnapshots(this))
          : Optional.empty();
    } catch (SandboxException saidByAvailability) {
      return Optional.empty();
    }
  }

  /** As the options of a sandbox, or what is kept of one, say. */
  Connection connection(Map<String, String> given) {
    return Connection.of(settings(), given);
  }

  @Override
  public SandboxBackend create(BackendRequest request, Deadline deadline)
      throws InterruptedException {
    return make(request, Optional.empty(), deadline);
  }

  DaytonaBackend make(BackendRequest request, Optional<String> from, Deadline deadline)
      throws InterruptedException {
    DaytonaOptions options = DaytonaOptions.parse(request.options());
    Settings settings = settings();
    Connection connection = Connection.of(settings, request.options());
    DaytonaBackend backend =
        new SandboxMaker(connection, settings).make(request, options, from, deadline);
    live.put(sandbox(backend.ref()), backend);
    return backend;
  }

  /** Wakes a sandbox that was stopped, archived or paused. */
  @Override
  public SandboxBackend attach(BackendRef ref, Deadline deadline) throws InterruptedException {
    String sandbox = sandbox(ref);
    Settings settings = settings();
    Connection connection = Connection.of(settings, ref.data());
    DaytonaBackend backend = new SandboxMaker(connection, settings).attach(ref, sandbox, deadline);
    live.put(sandbox, backend);
    return backend;
  }

  @Override
  public ReleaseOutcome delete(BackendRef ref, Deadline deadline) throws InterruptedException {
    String sandbox = sandbox(ref);
    DaytonaBackend backend = live.remove(sandbox);
    if (backend != null) {
      backend.close();
    }
    Connection connection = Connection.of(settings(), ref.data());
    if (connection.plane().isEmpty()) {
      return ReleaseOutcome.DONE;
    }
    try {
      return new Release(connection.plane().get(), sandbox).delete(deadline);
    } catch (RemoteException e) {
      throw SandboxFailures.release(Operation.DELETE, sandbox, e);
    }
  }

  /** Every sandbox of the key's organisation that has this provider's labels. */
  @Override
  public List<ListedBackend> list(Map<String, String> options, Deadline deadline)
      throws InterruptedException {
    Object unused = DaytonaOptions.parse(options);
    Connection connection = Connection.of(settings(), options);
    if (connection.plane().isEmpty()) {
      // A daemon makes nothing that could be left.
      return List.of();
    }
    try {
      List<ListedBackend> listed = new ArrayList<>();
      for (Description each : connection.plane().get().list(deadline)) {
        if (!each.gone()) {
          Map<String, String> data = new HashMap<>(connection.reference());
          data.put(Connection.SANDBOX, each.id());
          Marks.listed(new BackendRef(NAME, data), each.labels()).ifPresent(listed::add);
        }
      }
      return listed;
    } catch (RemoteException e) {
      throw e.as(ErrorCode.TRANSPORT, Operation.DISCOVER).build();
    }
  }

  static String sandbox(BackendRef ref) {
    String sandbox = ref.data().get(Connection.SANDBOX);
    if (!ref.provider().equals(NAME)
        || sandbox == null
        || !sandbox.matches("[A-Za-z0-9][A-Za-z0-9_.-]{0,127}")) {
      throw SandboxFailures.foreign(ref, NAME);
    }
    return sandbox;
  }
}
