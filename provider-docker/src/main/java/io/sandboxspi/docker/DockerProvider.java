package io.sandboxspi.docker;

import io.sandboxspi.Capability;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.docker.engine.Engine;
import io.sandboxspi.docker.engine.EngineAddress;
import io.sandboxspi.docker.engine.EngineException;
import io.sandboxspi.docker.engine.Refusal;
import io.sandboxspi.spi.Availability;
import io.sandboxspi.spi.BackendRef;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.ListedBackend;
import io.sandboxspi.spi.ReleaseOutcome;
import io.sandboxspi.spi.SandboxBackend;
import io.sandboxspi.spi.SandboxProvider;
import java.nio.file.Files;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Runs sandboxes as containers of a Docker engine, over a unix socket, TCP or TLS as {@code
 * DOCKER_HOST}, {@code DOCKER_TLS_VERIFY}, {@code DOCKER_CERT_PATH} and docker's contexts say.
 * Thread-safe.
 *
 * <p>The one option that is needed is {@code image}; docs/providers/docker.md lists the others.
 */
public final class DockerProvider implements SandboxProvider {
  /** The name it is opened by. */
  public static final String NAME = "docker";

  static final String CONTAINER = "container";

  private final Map<String, DockerBackend> live = new ConcurrentHashMap<>();

  /** Makes no connection. */
  public DockerProvider() {}

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Set<Capability> capabilities() {
    return EnumSet.of(
        Capability.TTY,
        Capability.STDIN_AFTER_START,
        Capability.EXIT_CODE_RELIABLE,
        Capability.SEPARATE_STDERR,
        Capability.RESIZE,
        Capability.SIGNALS,
        Capability.KILL_GROUP,
        Capability.KILL_ESCAPED,
        Capability.CLIENT_CHOSEN_ID,
        Capability.REATTACH,
        Capability.PORTS,
        Capability.LIST,
        Capability.USERS,
        Capability.CONFINED);
  }

  /** Looks at the address only; the option {@code host} may name another. */
  @Override
  public Availability availability() {
    EngineAddress address;
    try {
      address = Engine.resolve(Optional.empty()).address();
    } catch (IllegalArgumentException e) {
      return Availability.unavailable("DOCKER_HOST cannot be used: " + e.getMessage());
    }
    if (address instanceof EngineAddress.Unix unix) {
      if (!Files.exists(unix.path())) {
        return Availability.unavailable(
            "there is no socket " + unix.path() + ": start the Docker engine, or set DOCKER_HOST");
      }
      if (!Files.isWritable(unix.path())) {
        return Availability.unavailable(
            "no permission on " + unix.path() + ": join its group, usually docker");
      }
    }
    return Availability.available();
  }

  @Override
  public SandboxBackend create(BackendRequest request, Deadline deadline)
      throws InterruptedException {
    DockerOptions options = DockerOptions.parse(request.options());
    Engine engine = engine(options.host());
    String container = new ContainerMaker(engine).make(request, options, deadline);
    Map<String, String> data = new HashMap<>();
    data.put(CONTAINER, container);
    options.host().ifPresent(host -> data.put(DockerOptions.HOST, host));
    PublishedPorts.remember(options, data);
    boolean done = false;
    DockerBackend backend = null;
    try {
      backend =
          new DockerBackend(
              engine,
              new BackendRef(NAME, data),
              request.sessionId(),
              container,
              options.workspace(),
              options.spares(),
              options.onRelease());
      backend.greet(deadline);
      live.put(container, backend);
      done = true;
      return backend;
    } finally {
      if (!done) {
        if (backend != null) {
          backend.close();
        }
        new ContainerMaker(engine).discard(container);
      }
    }
  }

  /** Wakes a container that was stopped or paused. */
  @Override
  public SandboxBackend attach(BackendRef ref, Deadline deadline) throws InterruptedException {
    Engine engine = engine(Optional.ofNullable(ref.data().get(DockerOptions.HOST)));
    String container = container(ref);
    Containers containers = new Containers(engine);
    try {
      Containers.Description found = containers.describe(container, deadline);
      if (found.state() == Containers.State.GONE) {
        throw SandboxException.builder(
                ErrorCode.BACKEND_GONE, Operation.CREATE, "the container does not exist any more")
            .context(CONTAINER, container)
            .build();
      }
      if (!found.labels().containsKey(Labels.SESSION)) {
        throw SandboxException.invalid(
            "backend reference", container, "a container that this provider made");
      }
      Map<String, String> labels = found.labels();
      Listing.take(engine, container, labels, deadline);
      containers.awaken(container, found.state(), deadline);
      DockerBackend backend =
          new DockerBackend(
              engine,
              ref,
              labels.get(Labels.SESSION) + "-again",
              container,
              labels.getOrDefault(Labels.WORKSPACE, "/"),
              Labels.spares(labels),
              DockerOptions.OnRelease.valueOf(
                  labels.getOrDefault(Labels.ON_RELEASE, DockerOptions.OnRelease.KEEP.name())));
      live.put(container, backend);
      return backend;
    } catch (Refusal refusal) {
      throw Failures.of(Operation.CREATE, refusal);
    } catch (EngineException e) {
      throw Failures.of(Operation.CREATE, e);
    }
  }

  @Override
  public ReleaseOutcome delete(BackendRef ref, Deadline deadline) throws InterruptedException {
    String container = container(ref);
    DockerBackend backend = live.remove(container);
    if (backend != null) {
      // Streams that are open and unread would hold the removal up.
      backend.close();
    }
    Engine engine = engine(Optional.ofNullable(ref.data().get(DockerOptions.HOST)));
    try {
      return new Containers(engine).remove(container, deadline);
    } catch (EngineException | Refusal e) {
      throw SandboxException.builder(
              ErrorCode.BACKEND_RELEASE_FAILED,
              Operation.DELETE,
              "the container was not removed: " + e.getMessage())
          .cause(e)
          .retryable(Retryable.YES)
          .context(CONTAINER, container)
          .build();
    }
  }

  /** Every container of the engine that has this provider's labels. */
  @Override
  public List<ListedBackend> list(Map<String, String> options, Deadline deadline)
      throws InterruptedException {
    Optional<String> host = DockerOptions.host(options);
    try {
      return Listing.of(engine(host), host, deadline);
    } catch (EngineException e) {
      throw Failures.of(Operation.DISCOVER, e);
    } catch (Refusal e) {
      throw Failures.of(Operation.DISCOVER, e);
    }
  }

  private static Engine engine(Optional<String> host) {
    try {
      return Engine.resolve(host);
    } catch (IllegalArgumentException e) {
      throw SandboxException.builder(
              ErrorCode.PROVIDER_UNAVAILABLE,
              Operation.CREATE,
              "the engine's address cannot be used: " + e.getMessage())
          .cause(e)
          .build();
    }
  }

  private static String container(BackendRef ref) {
    String container = ref.data().get(CONTAINER);
    if (!ref.provider().equals(NAME)
        || container == null
        || !container.matches("[0-9a-f]{12,64}")) {
      throw SandboxException.invalid(
          "backend reference", "of " + ref.provider(), "one of provider docker");
    }
    return container;
  }
}
