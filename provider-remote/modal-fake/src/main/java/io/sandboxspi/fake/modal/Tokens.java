package io.sandboxspi.fake.modal;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Tokens that end: three parts with a time in the second. Thread-safe. */
public final class Tokens {
  private record Known(String about, Instant end) {}

  private final Map<String, Known> known = new ConcurrentHashMap<>();
  private final AtomicInteger given = new AtomicInteger();
  private volatile Duration life = Duration.ofMinutes(20);

  Tokens() {}

  /** Makes one about something. */
  String make(String about) {
    int unused = given.incrementAndGet();
    Instant end = Instant.now().plus(life);
    String token =
        part("{\"alg\":\"none\"}")
            + "."
            + part("{\"exp\":" + end.getEpochSecond() + ",\"jti\":\"" + UUID.randomUUID() + "\"}")
            + "."
            + part("signature");
    known.put(token, new Known(about, end));
    return token;
  }

  private static String part(String text) {
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  boolean good(String token, String about) {
    Known found = known.get(token);
    return found != null && found.about().equals(about) && found.end().isAfter(Instant.now());
  }

  /** From now on tokens live so long. */
  public void life(Duration value) {
    life = value;
  }

  /** None that was given out is good any more. */
  public void expire() {
    known.clear();
  }

  /** How many were given out. */
  public int given() {
    return given.get();
  }
}
