package io.sandboxspi.core.pty;

import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.TerminationOutcome;
import java.util.List;
import java.util.Map;

/**
 * What {@link PtyCleanupHelper} needs to end entries. Called on threads of the cleanup lane only;
 * every method may be called for several entries at once.
 *
 * @param <E> an entry; compared by identity of {@code equals}
 */
public interface CleanupOperations<E> {
  /** Ends the entry's process and proves it. What it throws counts as not proven. */
  TerminationOutcome kill(E entry, Deadline deadline) throws InterruptedException;

  /** Lets go of local resources; idempotent. */
  void release(E entry);

  /**
   * Ends many in one operation; an entry that is missing in the answer is ended by {@code kill}.
   */
  default Map<E, TerminationOutcome> killAll(List<E> entries, Deadline deadline)
      throws InterruptedException {
    return Map.of();
  }

  /** The entry is proven ended and let go of; nothing owns it any more. */
  default void closed(E entry) {}

  /** An attempt ended without a proof; the entry stays owned. */
  default void retained(E entry, Throwable cause) {}
}
