package io.sandboxspi.remote.blaxel;

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
import io.sandboxspi.spi.ReleaseOutcome;
import io.sandboxspi.spi.SandboxBackend;
import io.sandboxspi.spi.SandboxProvider;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

/**
 * Sandboxes of Blaxel. Thread-safe.
 *
 * <p>It needs {@code BL_API_KEY} and {@code BL_WORKSPACE} in the environment, or as properties of
 * the JVM; docs/providers/blaxel.md lists the other settings and the options.
 */
public final class BlaxelProvider implements SandboxProvider {
  /** The name it is opened by. */
  public static final String NAME = "blaxel";

  private final Map<String, BlaxelBackend> live = new ConcurrentHashMap<>();
  private final UnaryOperator<String> lookup;

  /** Makes no connection. */
  public BlaxelProvider() {
    this(Variables.ofProcess());
  }

  private BlaxelProvider(UnaryOperator<String> lookup) {
    this.lookup = lookup;
  }

  /** With these settings instead of the environment's; by the names of the variables. */
  public static BlaxelProvider with(Map<String, String> settings) {
    return new BlaxelProvider(Variables.of(settings));
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
    return ShellBackend.capabilities(Capability.PORTS, Capability.LIST);
  }

  @Override
  public Availability availability() {
    try {
      return settings().missing().map(Availability::unavailable).orElseGet(Availability::available);
    } catch (SandboxException e) {
      return Availability.unavailable(String.valueOf(e.getMessage()));
    }
  }

  @Override
  public SandboxBackend create(BackendRequest request, Deadline deadline)
      throws InterruptedException {
    BlaxelOptions options = BlaxelOptions.parse(request.options());
    Settings settings = settings();
    Connection connection = Connection.of(settings, request.options());
    BlaxelBackend backend = new SandboxMaker(connection, settings).make(request, options, deadline);
    live.put(sandbox(backend.ref()), backend);
    return backend;
  }

  /** Wakes a sandbox in standby. */
  @Override
  public SandboxBackend attach(BackendRef ref, Deadline deadline) throws InterruptedException {
    String sandbox = sandbox(ref);
    Settings settings = settings();
    Connection connection = Connection.of(settings, ref.data());
    BlaxelBackend backend = new SandboxMaker(connection, settings).attach(ref, sandbox, deadline);
    live.put(sandbox, backend);
    return backend;
  }

  @Override
  public ReleaseOutcome delete(BackendRef ref, Deadline deadline) throws InterruptedException {
    String sandbox = sandbox(ref);
    BlaxelBackend backend = live.remove(sandbox);
    if (backend != null) {
      backend.close();
    }
    Connection connection = Connection.of(settings(), ref.data());
    return connection.plane().isEmpty()
        ? ReleaseOutcome.DONE
        : BlaxelBackend.delete(connection.plane().get(), sandbox, Operation.DELETE, deadline);
  }

  @Override
  public List<ListedBackend> list(Map<String, String> options, Deadline deadline)
      throws InterruptedException {
    Object unused = BlaxelOptions.parse(options);
    Connection connection = Connection.of(settings(), options);
    List<ListedBackend> listed = new ArrayList<>();
    if (connection.plane().isEmpty()) {
      return listed;
    }
    try {
      for (Description found : connection.plane().get().all(deadline)) {
        Map<String, String> data = new HashMap<>(connection.reference());
        data.put(Connection.SANDBOX, found.name());
        Marks.listed(new BackendRef(NAME, data), found.labels()).ifPresent(listed::add);
      }
      return listed;
    } catch (RemoteException e) {
      throw e.as(ErrorCode.TRANSPORT, Operation.DISCOVER).build();
    }
  }

  private static String sandbox(BackendRef ref) {
    String sandbox = ref.data().get(Connection.SANDBOX);
    if (!ref.provider().equals(NAME)
        || sandbox == null
        || !sandbox.matches("[a-z0-9][a-z0-9-]{0,62}")) {
      throw SandboxFailures.foreign(ref, NAME);
    }
    return sandbox;
  }
}
