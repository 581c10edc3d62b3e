package io.sandboxspi.docker;

import io.sandboxspi.core.reap.Owner;
import io.sandboxspi.spi.BackendRequest;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/** Labels on everything that this provider makes; what has none of them is never touched. */
final class Labels {
  static final String PREFIX = "io.sandboxspi.";

  /** The session's id. */
  static final String SESSION = PREFIX + "session";

  /** Who made it, as {@link Owner} writes it. */
  static final String OWNER = PREFIX + "owner";

  /** When it was made: an ISO-8601 instant. */
  static final String CREATED = PREFIX + "created";

  /** The workspace's path. */
  static final String WORKSPACE = PREFIX + "workspace";

  /** What becomes of it when a session lets go. */
  static final String ON_RELEASE = PREFIX + "on-release";

  /** How many spares are kept. */
  static final String SPARES = PREFIX + "spares";

  private Labels() {}

  static Map<String, String> of(BackendRequest request, DockerOptions options) {
    Map<String, String> labels = new HashMap<>(options.labels());
    labels.put(SESSION, request.sessionId());
    labels.put(OWNER, Owner.of(request));
    labels.put(CREATED, Instant.now().toString());
    labels.put(WORKSPACE, options.workspace());
    labels.put(ON_RELEASE, options.onRelease().name());
    labels.put(SPARES, String.valueOf(options.spares()));
    return labels;
  }

  /** How many spares a container was made for; none if it does not say. */
  static int spares(Map<String, String> labels) {
    String text = labels.getOrDefault(SPARES, "0");
    return text.matches("[0-9]{1,2}") ? Integer.parseInt(text) : 0;
  }
}
