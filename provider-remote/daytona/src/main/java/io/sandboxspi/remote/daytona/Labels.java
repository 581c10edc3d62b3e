package io.sandboxspi.remote.daytona;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/** Labels of every sandbox that this provider makes; what has none of them is never touched. */
final class Labels {
  static final String PREFIX = "io.sandboxspi.";

  /** The session's id. */
  static final String SESSION = PREFIX + "session";

  /** Who made it. */
  static final String OWNER = PREFIX + "owner";

  /** When it was made: an ISO-8601 instant. */
  static final String CREATED = PREFIX + "created";

  /** The workspace's path, if it is not the default. */
  static final String WORKSPACE = PREFIX + "workspace";

  /** What becomes of it when a session lets go. */
  static final String ON_RELEASE = PREFIX + "on-release";

  /** Whether a session that uses it keeps it from being stopped. */
  static final String KEEP_ALIVE = PREFIX + "keep-alive";

  private Labels() {}

  static Map<String, String> of(String session, DaytonaOptions options) {
    Map<String, String> labels = new HashMap<>(options.labels());
    labels.put(SESSION, session);
    labels.put(
        OWNER, System.getProperty("user.name", "unknown") + "/" + ProcessHandle.current().pid());
    labels.put(CREATED, Instant.now().toString());
    labels.put(ON_RELEASE, options.onRelease().name());
    labels.put(KEEP_ALIVE, String.valueOf(options.keepAlive()));
    options.workspace().ifPresent(path -> labels.put(WORKSPACE, path));
    return labels;
  }
}
