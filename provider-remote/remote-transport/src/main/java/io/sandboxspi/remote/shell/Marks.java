package io.sandboxspi.remote.shell;

import io.sandboxspi.core.reap.Owner;
import io.sandboxspi.spi.BackendRef;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.ListedBackend;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What every sandbox that a provider makes is marked with at its vendor, in labels or metadata, so
 * that forgotten ones are found; what has none of them is never touched.
 */
public final class Marks {
  /** How their names begin. */
  public static final String PREFIX = "io.sandboxspi.";

  /** The session's id. */
  public static final String SESSION = PREFIX + "session";

  /** Who made it, or attached to it last, as {@link Owner} writes it. */
  public static final String OWNER = PREFIX + "owner";

  /** When it was made: an ISO-8601 instant. */
  public static final String CREATED = PREFIX + "created";

  private Marks() {}

  /**
   * Marks of a new sandbox.
   *
   * @param more beside them
   */
  public static Map<String, String> of(BackendRequest request, Map<String, String> more) {
    Map<String, String> marks = new HashMap<>(more);
    marks.put(SESSION, request.sessionId());
    marks.put(OWNER, Owner.of(request));
    marks.put(CREATED, Instant.now().toString());
    return marks;
  }

  /**
   * A sandbox of the vendor's list, if it is marked.
   *
   * @param marks what the vendor says of it
   */
  public static Optional<ListedBackend> listed(BackendRef ref, Map<String, String> marks) {
    String session = marks.getOrDefault(SESSION, "");
    return session.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new ListedBackend(
                ref,
                session,
                marks.getOrDefault(OWNER, ""),
                created(marks.getOrDefault(CREATED, ""))));
  }

  private static Instant created(String text) {
    try {
      return Instant.parse(text);
    } catch (DateTimeException notOurs) {
      return Instant.EPOCH;
    }
  }
}
