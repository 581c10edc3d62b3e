package io.sandboxspi.remote.daytona;

import io.sandboxspi.remote.shell.Marks;
import io.sandboxspi.spi.BackendRequest;
import java.util.HashMap;
import java.util.Map;

/** Labels of every sandbox that this provider makes, beside {@link Marks}. */
final class Labels {
  /** The workspace's path, if it is not the default. */
  static final String WORKSPACE = Marks.PREFIX + "workspace";

  /** What becomes of it when a session lets go. */
  static final String ON_RELEASE = Marks.PREFIX + "on-release";

  /** Whether a session that uses it keeps it from being stopped. */
  static final String KEEP_ALIVE = Marks.PREFIX + "keep-alive";

  /** Its ports. */
  static final String PORTS = Marks.PREFIX + "ports";

  /** How long an address of a port lasts, if it has a token of its own. */
  static final String LINK_LIFE = Marks.PREFIX + "link-life";

  private Labels() {}

  static Map<String, String> of(BackendRequest request, DaytonaOptions options) {
    Map<String, String> labels = new HashMap<>(Marks.of(request, options.labels()));
    labels.put(ON_RELEASE, options.onRelease().name());
    labels.put(KEEP_ALIVE, String.valueOf(options.keepAlive()));
    options.ports().mark(labels);
    options.workspace().ifPresent(path -> labels.put(WORKSPACE, path));
    return labels;
  }
}
