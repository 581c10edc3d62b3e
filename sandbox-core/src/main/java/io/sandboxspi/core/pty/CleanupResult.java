package io.sandboxspi.core.pty;

import io.sandboxspi.core.time.Suppressed;
import io.sandboxspi.spi.TerminationOutcome;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How one attempt to clean an entry up ended.
 *
 * @param outcome what is proven of its process
 * @param releaseFailure why its local resources did not go
 */
public record CleanupResult(TerminationOutcome outcome, Optional<Throwable> releaseFailure) {
  /** Nothing was left to clean up. */
  static final CleanupResult GONE =
      new CleanupResult(TerminationOutcome.alreadyGone(), Optional.empty());

  /** The first failure, with a second one suppressed under it; empty if all went well. */
  public Optional<Throwable> failure() {
    @Nullable Throwable first = null;
    if (outcome instanceof TerminationOutcome.Unconfirmed unconfirmed) {
      first = unconfirmed.cause();
    }
    if (releaseFailure.isPresent()) {
      if (first == null) {
        first = releaseFailure.get();
      } else {
        Suppressed.add(first, releaseFailure.get());
      }
    }
    return Optional.ofNullable(first);
  }

  /** The first of the failures in batch order, with the others suppressed under it. */
  public static Optional<Throwable> first(List<Throwable> failures) {
    if (failures.isEmpty()) {
      return Optional.empty();
    }
    Throwable first = failures.get(0);
    for (Throwable other : failures.subList(1, failures.size())) {
      Suppressed.add(first, other);
    }
    return Optional.of(first);
  }
}
