package io.sandboxspi.remote.e2b;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/** What every sandbox that this provider makes is marked with, so that forgotten ones are found. */
final class Metadata {
  static final String PREFIX = "io.sandboxspi.";

  /** The session's id. */
  static final String SESSION = PREFIX + "session";

  /** Who made it. */
  static final String OWNER = PREFIX + "owner";

  /** When: an ISO-8601 instant. */
  static final String CREATED = PREFIX + "created";

  private Metadata() {}

  static Map<String, String> of(String session, Map<String, String> more) {
    Map<String, String> metadata = new HashMap<>(more);
    metadata.put(SESSION, session);
    metadata.put(
        OWNER, System.getProperty("user.name", "unknown") + "/" + ProcessHandle.current().pid());
    metadata.put(CREATED, Instant.now().toString());
    return metadata;
  }
}
