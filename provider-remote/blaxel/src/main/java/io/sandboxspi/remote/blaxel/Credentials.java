package io.sandboxspi.remote.blaxel;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.remote.transport.HttpCall;
import io.sandboxspi.remote.transport.HttpTransport;
import io.sandboxspi.remote.transport.Json;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.remote.transport.Repeat;
import io.sandboxspi.remote.transport.Secret;
import io.sandboxspi.spi.Deadline;
import java.net.URI;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The key, or tokens that are fetched with a client's credentials. Thread-safe. */
final class Credentials {
  /** A token is renewed so long before its end. */
  private static final long EARLY = TimeUnit.MINUTES.toNanos(10);

  private final HttpTransport transport;
  private final Settings settings;
  private final URI api;
  private final Semaphore turn = new Semaphore(1);
  private final Object lock = new Object();

  /** Changed with the lock. */
  private volatile @Nullable Token token;

  private record Token(Secret secret, long until) {}

  Credentials(HttpTransport transport, Settings settings, URI api) {
    this.transport = transport;
    this.settings = settings;
    this.api = api;
  }

  /** What calls carry; empty for an agent alone. */
  Optional<Secret> current(Deadline deadline) throws InterruptedException {
    if (settings.key().isPresent() || settings.client().isEmpty()) {
      return settings.key();
    }
    if (!turn.tryAcquire(deadline.remainingNanos(), TimeUnit.NANOSECONDS)) {
      throw new RemoteException(Kind.TIMEOUT, "the access token did not come in time");
    }
    try {
      Token known = token;
      if (known == null || known.until() - System.nanoTime() < 0) {
        known = fetch(settings.client().get(), deadline);
        synchronized (lock) {
          token = known;
        }
      }
      return Optional.of(known.secret());
    } finally {
      turn.release();
    }
  }

  /** The vendor does not take this one: whether another one can be had. */
  boolean refused(Secret secret) {
    if (settings.key().isPresent()) {
      return false;
    }
    synchronized (lock) {
      Token known = token;
      if (known != null && known.secret().equals(secret)) {
        token = null;
      }
    }
    return true;
  }

  private Token fetch(Secret client, Deadline deadline) throws InterruptedException {
    String what = "asking for an access token";
    HttpCall call =
        HttpCall.of(what, "POST", URI.create(api + "/oauth/token"))
            .secret("Authorization", "Basic ", client)
            .json(Json.object().put("grant_type", "client_credentials"))
            .repeat(Repeat.ALWAYS);
    ObjectNode answer = transport.call(call, deadline).object();
    long life = TimeUnit.SECONDS.toNanos(answer.path("expires_in").asLong(0));
    return new Token(
        Secret.of("access token", Json.text(what, answer, "access_token")),
        System.nanoTime() + Math.max(life / 2, life - EARLY));
  }
}
