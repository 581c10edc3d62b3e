package io.sandboxspi.core.time;

import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Follows futures without losing what the follower throws. */
public final class Callback {
  private static final Logger LOG = LoggerFactory.getLogger(Callback.class);

  private Callback() {}

  /**
   * Calls the follower with the value or the failure, on the completing thread or at once. It must
   * not block; what it throws is a defect and is logged.
   */
  @SuppressWarnings("FutureReturnValueIgnored") // the follower's failure is logged here
  public static <T> void when(
      CompletableFuture<T> future, BiConsumer<@Nullable T, @Nullable Throwable> follower) {
    future.whenComplete(
        (value, failure) -> {
          try {
            follower.accept(value, failure);
          } catch (RuntimeException | Error e) {
            LOG.error("a follower of a future failed", e);
          }
        });
  }
}
