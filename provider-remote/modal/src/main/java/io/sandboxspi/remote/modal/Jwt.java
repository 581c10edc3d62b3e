package io.sandboxspi.remote.modal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sandboxspi.remote.transport.Secret;
import java.io.IOException;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A token that ends. Its signature is the vendor's business.
 *
 * @param value what is sent
 * @param dueNanos when another should be fetched
 * @param endNanos when it is of no use any more
 */
record Jwt(Secret value, long dueNanos, long endNanos) {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration UNSAID = Duration.ofMinutes(20);

  /** A clock that is ahead of the vendor's must not make every token old. */
  private static final Duration LEAST = Duration.ofSeconds(20);

  static Jwt of(String name, String text) {
    long now = System.nanoTime();
    Duration life = life(text);
    double used = 0.5 + ThreadLocalRandom.current().nextDouble(0.1);
    return new Jwt(
        Secret.of(name, text), now + (long) (life.toNanos() * used), now + life.toNanos());
  }

  private static Duration life(String text) {
    String[] parts = text.split("\\.", -1);
    if (parts.length == 3) {
      try {
        JsonNode payload = JSON.readTree(Base64.getUrlDecoder().decode(parts[1]));
        if (payload.path("exp").isNumber()) {
          long millis = payload.path("exp").asLong() * 1000 - System.currentTimeMillis();
          Duration left = Duration.ofMillis(millis);
          return left.compareTo(LEAST) < 0 ? LEAST : left;
        }
      } catch (IOException | IllegalArgumentException e) {
        return UNSAID;
      }
    }
    return UNSAID;
  }

  boolean due() {
    return System.nanoTime() - dueNanos > 0;
  }

  boolean over() {
    return System.nanoTime() - endNanos > 0;
  }
}
