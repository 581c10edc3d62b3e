package io.sandboxspi.local;

import io.sandboxspi.Capability;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.local.driver.PtyDrivers;
import io.sandboxspi.spi.Availability;
import io.sandboxspi.spi.BackendRef;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.ListedBackend;
import io.sandboxspi.spi.ReleaseOutcome;
import io.sandboxspi.spi.SandboxBackend;
import io.sandboxspi.spi.SandboxProvider;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Runs processes of this machine, as this user. They are not confined unless the option {@code
 * isolation=namespaces} asks for it. Thread-safe.
 *
 * <p>Options: {@code workspace}, the absolute path of a directory to work in, which is never
 * removed (unless given, a fresh one is made and removed); {@code base}, the absolute path of a
 * directory in which fresh ones are made; {@code isolation}, {@code none} or {@code namespaces};
 * {@code inherit}, names of host variables that processes get, with commas between; {@code ports},
 * where processes listen, with commas between.
 */
public final class LocalProvider implements SandboxProvider {
  /** The name it is opened by. */
  public static final String NAME = "local";

  private static final String ISOLATION = "isolation";

  private final Map<String, String> host;

  /** With the variables of this JVM. */
  public LocalProvider() {
    this(System.getenv());
  }

  LocalProvider(Map<String, String> host) {
    this.host = host;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Set<Capability> capabilities() {
    Set<Capability> capabilities =
        EnumSet.of(
            Capability.TTY,
            Capability.STDIN_AFTER_START,
            Capability.EXIT_CODE_RELIABLE,
            Capability.SEPARATE_STDERR,
            Capability.RESIZE,
            Capability.SIGNALS,
            Capability.KILL_GROUP,
            Capability.CLIENT_CHOSEN_ID,
            Capability.REATTACH,
            Capability.PORTS,
            Capability.LIST);
    if (PtyDrivers.LINUX) {
      // Only there can the descendants of a process be found.
      capabilities.add(Capability.KILL_ESCAPED);
    }
    return capabilities;
  }

  @Override
  public Availability availability() {
    return PtyDrivers.missing().map(Availability::unavailable).orElseGet(Availability::available);
  }

  @Override
  public SandboxBackend create(BackendRequest request, Deadline deadline) {
    LocalOptions options = LocalOptions.parse(request.options());
    Optional<Bubblewrap> confinement = confinement(options);
    LiveBackends.checkOpen();
    SharedDriver.Lease lease = lease();
    boolean done = false;
    try {
      LocalWorkspace workspace = LocalWorkspace.make(request, options.base(), options.workspace());
      if (!request.durable()) {
        LiveBackends.add(workspace);
      }
      Optional<OwnerJournal> journal =
          request.durable() ? Optional.of(OwnerJournal.open(workspace)) : Optional.empty();
      SandboxBackend backend = backend(workspace, options, confinement, lease, journal);
      done = true;
      return backend;
    } catch (IOException e) {
      throw failed("the workspace cannot be made: " + e.getClass().getSimpleName(), e);
    } finally {
      if (!done) {
        lease.close();
      }
    }
  }

  /**
   * Works on in the workspace. What an owner that was killed left running is ended; what one that
   * lives runs is its own.
   */
  @Override
  public SandboxBackend attach(BackendRef ref, Deadline deadline) throws InterruptedException {
    LocalWorkspace workspace = workspace(ref);
    LocalOptions options = LocalOptions.of(ref);
    Optional<Bubblewrap> confinement = confinement(options);
    LiveBackends.checkOpen();
    if (!workspace.exists() || (workspace.owned() && !workspace.ours())) {
      throw SandboxException.of(
          ErrorCode.BACKEND_GONE, Operation.CREATE, "the workspace does not exist any more");
    }
    SharedDriver.Lease lease = lease();
    boolean done = false;
    try {
      LocalWorkspace prepared = workspace.prepared();
      OwnerJournal.endOrphans(prepared, deadline);
      SandboxBackend backend =
          backend(prepared, options, confinement, lease, Optional.of(OwnerJournal.open(prepared)));
      done = true;
      return backend;
    } catch (IOException e) {
      throw failed("the workspace cannot be used: " + e.getClass().getSimpleName(), e);
    } finally {
      if (!done) {
        lease.close();
      }
    }
  }

  @Override
  public ReleaseOutcome delete(BackendRef ref, Deadline deadline) throws InterruptedException {
    LocalWorkspace workspace = workspace(ref);
    Optional<LocalBackend> live = LiveBackends.of(workspace);
    if (live.isPresent()) {
      live.get().release(deadline);
    }
    if (!workspace.ours()) {
      LiveBackends.remove(workspace);
      return ReleaseOutcome.ALREADY_GONE;
    }
    try {
      workspace.remove(LocalBackend.check(deadline));
    } catch (IOException e) {
      throw LocalBackend.releaseFailure("its files cannot be removed").cause(e).build();
    }
    LiveBackends.remove(workspace);
    return ReleaseOutcome.DESTROYED;
  }

  /** What is in {@code base}, or this JVM's directory for temporary files, and is this user's. */
  @Override
  public List<ListedBackend> list(Map<String, String> options, Deadline deadline) {
    Path below =
        LocalOptions.parse(options).base().orElse(Path.of(System.getProperty("java.io.tmpdir")));
    try {
      return LocalWorkspace.list(below.toRealPath());
    } catch (IOException e) {
      throw SandboxException.builder(
              ErrorCode.TRANSPORT,
              Operation.DISCOVER,
              "the directory of the workspaces cannot be read: " + e.getClass().getSimpleName())
          .cause(e)
          .build();
    }
  }

  private LocalBackend backend(
      LocalWorkspace workspace,
      LocalOptions options,
      Optional<Bubblewrap> confinement,
      SharedDriver.Lease lease,
      Optional<OwnerJournal> journal) {
    String temporary = confinement.isPresent() ? "/tmp" : workspace.temporary().toString();
    LocalEnvironment environment =
        new LocalEnvironment(host, options.inherit(), workspace.directory().toString(), temporary);
    LocalBackend backend =
        new LocalBackend(workspace, options, environment, confinement, lease, journal);
    LiveBackends.add(backend);
    return backend;
  }

  private Optional<Bubblewrap> confinement(LocalOptions options) {
    if (options.isolation() == LocalOptions.Isolation.NONE) {
      return Optional.empty();
    }
    Optional<Bubblewrap> found =
        Bubblewrap.find(Optional.ofNullable(host.get("PATH")).orElse("/usr/bin:/bin"));
    if (!PtyDrivers.LINUX || found.isEmpty()) {
      throw SandboxException.builder(
              ErrorCode.UNSUPPORTED,
              Operation.CREATE,
              "isolation=namespaces needs Linux and the program bwrap in PATH (package bubblewrap)")
          .context("option", ISOLATION)
          .build();
    }
    return found;
  }

  private static SharedDriver.Lease lease() {
    try {
      return SharedDriver.lease();
    } catch (IllegalStateException e) {
      throw failed(String.valueOf(e.getMessage()), e);
    } catch (LinkageError e) {
      throw failed(
          "native calls are not possible; JNA unpacks its library to -Djna.tmpdir, which must"
              + " allow execution",
          e);
    }
  }

  private static LocalWorkspace workspace(BackendRef ref) {
    return LocalWorkspace.of(ref)
        .filter(workspace -> ref.provider().equals(NAME))
        .orElseThrow(
            () ->
                SandboxException.invalid(
                    "backend reference", "of " + ref.provider(), "one of provider local"));
  }

  private static SandboxException failed(String why, Throwable cause) {
    return SandboxException.builder(ErrorCode.CREATE_FAILED, Operation.CREATE, why)
        .cause(cause)
        .build();
  }
}
