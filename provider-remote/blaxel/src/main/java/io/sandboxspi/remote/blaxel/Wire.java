package io.sandboxspi.remote.blaxel;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.remote.transport.ClientOptions;
import io.sandboxspi.remote.transport.ErrorBody;
import io.sandboxspi.remote.transport.HttpCall;
import io.sandboxspi.remote.transport.HttpReply;
import io.sandboxspi.remote.transport.HttpTransport;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RetryPolicy;
import io.sandboxspi.remote.transport.Secret;
import io.sandboxspi.spi.Deadline;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Calls with Blaxel's headers, repeated while a sandbox wakes. Thread-safe. */
final class Wire {
  static final String USER_AGENT = "sandboxspi-java/0.1";

  /** A sandbox that wakes, or has no healthy machine yet: nothing was carried out. */
  static final String WAKING = "WORKLOAD_UNAVAILABLE";

  /** Refusals that say nothing of a sandbox. */
  private static final Set<String> NO_EVIDENCE =
      Set.of(WAKING, "ROUTE_NOT_FOUND", "WORKSPACE_NOT_FOUND");

  private static final String VERSION = "2026-04-28";
  private static final RetryPolicy RETRIES =
      new RetryPolicy(4, Duration.ofMillis(250), Duration.ofSeconds(5));
  private static final long FIRST_PAUSE = 500;
  private static final long MOST_PAUSE = 30_000;
  private static final Duration WAKE = Duration.ofSeconds(60);

  private final HttpTransport transport;
  private final Credentials credentials;
  private final Optional<String> workspace;
  private final URI api;

  Wire(ClientOptions client, Settings settings, URI api) {
    this.transport = HttpTransport.of(client, RETRIES, Wire::error);
    this.credentials = new Credentials(transport, settings, api);
    this.workspace = settings.workspace();
    this.api = api;
  }

  /** A call of the control plane, as far as it needs no deadline. */
  HttpCall api(String what, String method, String path) {
    return HttpCall.of(what, method, URI.create(api + path));
  }

  Optional<Secret> secret(Deadline deadline) throws InterruptedException {
    return credentials.current(deadline);
  }

  private HttpCall signed(HttpCall call, Optional<Secret> secret) {
    HttpCall signed = call.header("Blaxel-Version", VERSION);
    if (secret.isPresent()) {
      signed = signed.secret("X-Blaxel-Authorization", "Bearer ", secret.get());
    }
    return workspace.isPresent() ? signed.header("X-Blaxel-Workspace", workspace.get()) : signed;
  }

  /** Sends a call. */
  HttpReply send(HttpCall call, Deadline deadline) throws InterruptedException {
    return with(call, deadline, signed -> transport.call(signed, deadline));
  }

  /** How a call is sent. */
  interface Sending<T> {
    T send(HttpCall signed) throws InterruptedException;
  }

  HttpTransport transport() {
    return transport;
  }

  /** Sends a call in this way, and again while the sandbox is not awake. */
  <T> T with(HttpCall call, Deadline deadline, Sending<T> sending) throws InterruptedException {
    Optional<Secret> secret = secret(deadline);
    try {
      return awake(signed(call, secret), deadline, sending);
    } catch (RemoteException e) {
      // A token may end earlier than it was said to; nothing was carried out.
      boolean another =
          e.refusedWith(401) && secret.isPresent() && credentials.refused(secret.get());
      if (!another) {
        throw e;
      }
    }
    return awake(signed(call, secret(deadline)), deadline, sending);
  }

  private static <T> T awake(HttpCall signed, Deadline deadline, Sending<T> sending)
      throws InterruptedException {
    Deadline limit = Deadline.after(WAKE);
    for (long pause = FIRST_PAUSE; ; pause = Math.min(MOST_PAUSE, 2 * pause)) {
      try {
        return sending.send(signed);
      } catch (RemoteException e) {
        boolean again =
            e.refusedWith(404)
                && e.code().equals(WAKING)
                && pause < Math.min(deadline.remaining().toMillis(), limit.remaining().toMillis());
        if (!again) {
          throw e;
        }
      }
      pause(pause);
    }
  }

  static void pause(long millis) throws InterruptedException {
    boolean unused = new CountDownLatch(1).await(millis, TimeUnit.MILLISECONDS);
  }

  /** Whether the vendor's own refusal says that the sandbox does not exist. */
  static boolean gone(RemoteException e) {
    return e.said(404) && !NO_EVIDENCE.contains(e.code());
  }

  /**
   * The shapes of its services: the agent's text, the gateway's object, the control plane's two.
   */
  private static ErrorBody error(ObjectNode body) {
    JsonNode inner = body.path("error");
    if (inner.isObject()) {
      String code = inner.path("code").asText("");
      boolean last = inner.path("retryable").isBoolean() && !inner.path("retryable").asBoolean();
      return new ErrorBody(
          code.equals(WAKING) && last ? "WORKLOAD_LOST" : code, inner.path("message").asText(""));
    }
    String code = body.path("code").isTextual() ? body.path("code").asText() : "";
    String message = body.path("message").asText("");
    return new ErrorBody(code, message.isEmpty() ? inner.asText("") : message);
  }
}
