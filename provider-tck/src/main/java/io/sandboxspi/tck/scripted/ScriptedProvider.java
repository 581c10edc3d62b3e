package io.sandboxspi.tck.scripted;

import io.sandboxspi.Capability;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.spi.BackendRef;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.ReleaseOutcome;
import io.sandboxspi.spi.SandboxBackend;
import io.sandboxspi.spi.SandboxProvider;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * A provider without real processes: the test says what each one prints and when it ends. For unit
 * tests of engines and of their users. Thread-safe.
 *
 * <pre>{@code
 * ScriptedProvider provider = new ScriptedProvider().onLaunch(p -> { p.emit("hello"); p.exit(0); });
 * }</pre>
 */
public final class ScriptedProvider implements SandboxProvider {
  private final String name;
  private final Set<Capability> capabilities;
  private final List<ScriptedBackend> backends = new CopyOnWriteArrayList<>();
  private final Map<String, ScriptedBackend> byId = new ConcurrentHashMap<>();
  private volatile Consumer<ScriptedProcess> script = process -> {};

  /** Named {@code scripted}, with every capability except users and confinement. */
  public ScriptedProvider() {
    this("scripted", EnumSet.complementOf(EnumSet.of(Capability.USERS, Capability.CONFINED)));
  }

  /** With a name and capabilities of its own. */
  public ScriptedProvider(String name, Set<Capability> capabilities) {
    this.name = name;
    this.capabilities = Set.copyOf(capabilities);
  }

  /** Called with each new process on the launching thread, before its launch returns. */
  public ScriptedProvider onLaunch(Consumer<ScriptedProcess> value) {
    this.script = value;
    return this;
  }

  /** Every backend made so far, in order. */
  public List<ScriptedBackend> backends() {
    return List.copyOf(backends);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Set<Capability> capabilities() {
    return capabilities;
  }

  @Override
  public SandboxBackend create(BackendRequest request, Deadline deadline) {
    if (!request.options().isEmpty()) {
      throw SandboxException.invalid("option", request.options().keySet(), "no options");
    }
    BackendRef ref = new BackendRef(name, Map.of("id", request.sessionId()));
    ScriptedBackend backend = new ScriptedBackend(ref, process -> script.accept(process));
    backends.add(backend);
    byId.put(request.sessionId(), backend);
    return backend;
  }

  @Override
  public SandboxBackend attach(BackendRef ref, Deadline deadline) {
    if (!capabilities.contains(Capability.REATTACH)) {
      throw SandboxException.of(ErrorCode.UNSUPPORTED, Operation.CREATE, "cannot attach");
    }
    ScriptedBackend backend = byId.get(ref.data().getOrDefault("id", ""));
    if (backend == null) {
      throw SandboxException.of(ErrorCode.BACKEND_GONE, Operation.CREATE, "no such backend");
    }
    return backend;
  }

  @Override
  public ReleaseOutcome delete(BackendRef ref, Deadline deadline) {
    ScriptedBackend backend = byId.remove(ref.data().getOrDefault("id", ""));
    if (backend == null) {
      return ReleaseOutcome.ALREADY_GONE;
    }
    backend.destroy();
    return ReleaseOutcome.DESTROYED;
  }
}
