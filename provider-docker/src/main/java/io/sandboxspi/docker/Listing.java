package io.sandboxspi.docker;

import com.github.dockerjava.api.model.Container;
import io.sandboxspi.core.reap.Owner;
import io.sandboxspi.docker.engine.Engine;
import io.sandboxspi.spi.BackendRef;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.ListedBackend;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The containers of an engine that have our labels, and who owns them. The label tells who made
 * one. It cannot be changed, so who attaches to a container puts himself into its name.
 */
final class Listing {
  private Listing() {}

  static List<ListedBackend> of(Engine engine, Optional<String> host, Deadline deadline)
      throws InterruptedException {
    List<Container> containers =
        engine.call(
            deadline,
            client ->
                client
                    .listContainersCmd()
                    .withShowAll(true)
                    .withLabelFilter(List.of(Labels.SESSION))
                    .exec());
    List<ListedBackend> listed = new ArrayList<>();
    for (Container container : containers) {
      Map<String, String> labels = container.getLabels();
      String session = labels.getOrDefault(Labels.SESSION, "");
      Map<String, String> data = new HashMap<>(Map.of(DockerProvider.CONTAINER, container.getId()));
      host.ifPresent(value -> data.put(DockerOptions.HOST, value));
      listed.add(
          new ListedBackend(
              new BackendRef(DockerProvider.NAME, data),
              session,
              owner(container.getNames(), session, labels.getOrDefault(Labels.OWNER, "")),
              created(labels.getOrDefault(Labels.CREATED, ""), container.getCreated())));
    }
    return listed;
  }

  /** Makes this process the owner, unless the container is durable. */
  static void take(Engine engine, String container, Map<String, String> labels, Deadline deadline)
      throws InterruptedException {
    if (labels.getOrDefault(Labels.OWNER, "").equals(Owner.DURABLE)) {
      return;
    }
    String name = attached(labels.getOrDefault(Labels.SESSION, "")) + Owner.current();
    String before =
        engine.call(deadline, client -> client.inspectContainerCmd(container).exec()).getName();
    if (before.equals("/" + name)) {
      return;
    }
    Optional<Object> unused =
        engine.call(
            deadline,
            client -> {
              client.renameContainerCmd(container).withName(name).exec();
              return Optional.empty();
            });
  }

  /** How the name of a container begins that a process attached to. */
  private static String attached(String session) {
    return ContainerMaker.name(session) + "_";
  }

  private static String owner(String[] names, String session, String maker) {
    String prefix = "/" + attached(session);
    for (String name : names) {
      if (name.startsWith(prefix)) {
        return name.substring(prefix.length());
      }
    }
    return maker;
  }

  private static Instant created(String label, long engines) {
    try {
      return Instant.parse(label);
    } catch (DateTimeException notOurs) {
      return Instant.ofEpochSecond(engines);
    }
  }
}
