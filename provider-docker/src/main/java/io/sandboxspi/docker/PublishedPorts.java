package io.sandboxspi.docker;

import com.github.dockerjava.api.command.InspectContainerResponse;
import com.github.dockerjava.api.model.ExposedPort;
import com.github.dockerjava.api.model.Ports;
import io.sandboxspi.Endpoint;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.docker.engine.Engine;
import io.sandboxspi.docker.engine.EngineAddress;
import io.sandboxspi.docker.engine.EngineException;
import io.sandboxspi.docker.engine.Refusal;
import io.sandboxspi.spi.BackendRef;
import io.sandboxspi.spi.Deadline;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Where the published ports of a container are reached. */
final class PublishedPorts {
  private static final String PORTS = "ports";
  private static final Set<String> ANY_ADDRESS = Set.of("", "0.0.0.0", "::");

  private final Engine engine;

  PublishedPorts(Engine engine) {
    this.engine = engine;
  }

  /** Puts the ports into the data of a reference. */
  static void remember(DockerOptions options, Map<String, String> data) {
    if (!options.ports().isEmpty()) {
      data.put(
          PORTS,
          options.ports().stream()
              .map(port -> Integer.toString(port.port()))
              .distinct()
              .collect(Collectors.joining(",")));
    }
  }

  /** The ports that a reference names. */
  static Set<Integer> of(BackendRef ref) {
    Set<Integer> ports = new TreeSet<>();
    for (String port : ref.data().getOrDefault(PORTS, "").split(",")) {
      if (!port.isEmpty()) {
        ports.add(Integer.valueOf(port));
      }
    }
    return ports;
  }

  Endpoint find(String container, int port, Deadline deadline) throws InterruptedException {
    InspectContainerResponse answer;
    try {
      answer = engine.call(deadline, client -> client.inspectContainerCmd(container).exec());
    } catch (EngineException | Refusal e) {
      throw unavailable(port, String.valueOf(e.getMessage())).cause(e).build();
    }
    Ports.Binding @Nullable [] bindings =
        answer.getNetworkSettings().getPorts().getBindings().get(ExposedPort.tcp(port));
    if (bindings == null || bindings.length == 0 || bindings[0] == null) {
      throw unavailable(port, "the container does not publish it now").build();
    }
    String address = bindings[0].getHostIp() == null ? "" : bindings[0].getHostIp();
    return Endpoint.plain(
        ANY_ADDRESS.contains(address) ? here() : address,
        Integer.parseInt(bindings[0].getHostPortSpec()));
  }

  /** The engine's machine. */
  private String here() {
    return engine.address() instanceof EngineAddress.Tcp tcp ? tcp.host() : "127.0.0.1";
  }

  private static SandboxException.Builder unavailable(int port, String why) {
    return SandboxException.builder(
            ErrorCode.PORT_UNAVAILABLE,
            Operation.ENDPOINT,
            "where port " + port + " is reached is not known: " + why)
        .retryable(Retryable.UNKNOWN)
        .context("port", port);
  }
}
