package io.sandboxspi.remote.blaxel;

import io.sandboxspi.remote.shell.Marks;
import io.sandboxspi.spi.BackendRequest;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Labels beside the marks of every sandbox that this provider makes. */
final class Labels {
  /** The workspace's path, if it is not the default. */
  static final String WORKSPACE = Marks.PREFIX + "workspace";

  static final String ON_RELEASE = Marks.PREFIX + "on-release";
  static final String PORTS = Marks.PREFIX + "ports";
  static final String PREVIEWS = Marks.PREFIX + "previews";

  private Labels() {}

  static Map<String, String> of(BackendRequest request, BlaxelOptions options) {
    Map<String, String> labels = Marks.of(request, options.labels());
    options.workspace().ifPresent(path -> labels.put(WORKSPACE, path));
    labels.put(ON_RELEASE, options.onRelease().name());
    labels.put(PREVIEWS, options.previews().name());
    labels.put(
        PORTS,
        options.ports().stream().sorted().map(String::valueOf).collect(Collectors.joining(".")));
    return labels;
  }

  static Set<Integer> ports(Map<String, String> labels) {
    Set<Integer> ports = new TreeSet<>();
    for (String item : labels.getOrDefault(PORTS, "").split("\\.")) {
      if (item.matches("[0-9]{1,5}")) {
        ports.add(Integer.valueOf(item));
      }
    }
    return ports;
  }
}
