package io.sandboxspi.docker.engine;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.core.DefaultDockerClientConfig;
import com.github.dockerjava.core.DockerClientConfig;
import com.github.dockerjava.core.DockerClientImpl;
import io.sandboxspi.docker.engine.EngineException.Kind;
import io.sandboxspi.spi.Deadline;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Docker engine. Each call has a connection and a deadline of its own and ends soon after an
 * interrupt. Keeps nothing open between calls. Thread-safe.
 */
public final class Engine {
  private static final Logger LOG = LoggerFactory.getLogger(Engine.class);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int BODY_LIMIT = 65_536;
  private static final Map<String, String> JSON_BODY = Map.of("Content-Type", "application/json");

  private final EngineAddress address;
  private final DockerClientConfig config;

  private Engine(EngineAddress address, DockerClientConfig config) {
    this.address = address;
    this.config = config;
  }

  /** A call to the engine. */
  @FunctionalInterface
  public interface Work<T> {
    /** Makes it. */
    T with(DockerClient client) throws IOException;
  }

  /**
   * The engine that {@code DOCKER_HOST}, {@code DOCKER_TLS_VERIFY}, {@code DOCKER_CERT_PATH} and
   * docker's contexts name; no connection is made.
   *
   * @param host instead of theirs
   * @throws IllegalArgumentException if what they say cannot be used, in words for a user
   */
  public static Engine resolve(Optional<String> host) {
    try {
      DefaultDockerClientConfig.Builder builder =
          DefaultDockerClientConfig.createDefaultConfigBuilder();
      host.ifPresent(builder::withDockerHost);
      DockerClientConfig config = builder.build();
      Optional<SSLContext> tls = Optional.empty();
      if (config.getSSLConfig() != null
          && config.getDockerHost().getScheme().matches("tcp|https")) {
        tls = Optional.ofNullable(config.getSSLConfig().getSSLContext());
        if (tls.isEmpty()) {
          throw new IllegalArgumentException(
              "DOCKER_CERT_PATH does not hold ca.pem, cert.pem and key.pem");
        }
      }
      return new Engine(EngineAddress.of(config.getDockerHost(), tls), config);
    } catch (IllegalArgumentException e) {
      throw e;
    } catch (Exception e) { // docker-java's own kinds, for files that it cannot read
      throw new IllegalArgumentException(String.valueOf(e.getMessage()), e);
    }
  }

  /** Where it is. */
  public EngineAddress address() {
    return address;
  }

  /**
   * Calls the engine.
   *
   * @throws Refusal when it answers, but not with success
   * @throws EngineException when it does not answer, never of kind {@code INTERRUPTED}
   */
  public <T> T call(Deadline deadline, Work<T> work) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    try {
      return work.with(
          DockerClientImpl.getInstance(config, new EngineTransport(address, deadline)));
    } catch (DockerException e) {
      throw new Refusal(e.getHttpStatus(), message(String.valueOf(e.getMessage())));
    } catch (IOException e) {
      throw new EngineException(Kind.BROKEN, "the engine's answer cannot be read", e);
    } catch (RuntimeException e) {
      throw translated(e);
    }
  }

  /**
   * Posts a request that docker-java must not see, because it logs what it sends.
   *
   * @param json the request's body
   */
  public JsonNode post(String path, Map<String, ?> json, Deadline deadline)
      throws InterruptedException {
    return exchange(
        deadline,
        connection -> {
          connection.send("POST", path, JSON_BODY, JSON.writeValueAsBytes(json));
          try (InputStream body = connection.body(good(connection))) {
            JsonNode answer = JSON.readTree(body);
            connection.close();
            return answer;
          }
        });
  }

  /**
   * Sends a request that takes the connection out of HTTP.
   *
   * @param json the request's body
   */
  public Hijacked hijack(String path, Map<String, ?> json, Deadline deadline)
      throws InterruptedException {
    Map<String, String> headers = new HashMap<>(JSON_BODY);
    headers.put("Connection", "Upgrade");
    headers.put("Upgrade", "tcp");
    return exchange(
        deadline,
        connection -> {
          connection.send("POST", path, headers, JSON.writeValueAsBytes(json));
          Head unused = good(connection);
          return connection.hijack();
        });
  }

  /** A request and its answer; the connection is its own once it has succeeded. */
  interface Exchange<T> {
    /** Makes it. */
    T over(HttpConnection connection) throws IOException;
  }

  /** Makes one over a fresh connection. */
  <T> T exchange(Deadline deadline, Exchange<T> exchange) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    HttpConnection connection = null;
    boolean done = false;
    try {
      connection = HttpConnection.open(address, deadline);
      T result = exchange.over(connection);
      done = true;
      return result;
    } catch (IOException e) {
      throw new EngineException(Kind.BROKEN, "the engine's connection cannot be used", e);
    } catch (EngineException e) {
      throw translated(e);
    } finally {
      if (!done && connection != null) {
        connection.close();
      }
    }
  }

  /** The head of an answer of success. */
  static Head good(HttpConnection connection) throws IOException {
    Head head = connection.readHead();
    boolean good = head.status() == 101 || (head.status() >= 200 && head.status() < 300);
    if (!good) {
      throw new Refusal(head.status(), refusal(connection.body(head)));
    }
    return head;
  }

  private static RuntimeException translated(RuntimeException failure) throws InterruptedException {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof EngineException e) {
        if (e.kind() == Kind.INTERRUPTED) {
          // A channel that was closed by an interrupt leaves the flag set.
          boolean unused = Thread.interrupted();
          InterruptedException interrupted = new InterruptedException("interrupted");
          interrupted.initCause(e);
          throw interrupted;
        }
        return e;
      }
    }
    return failure;
  }

  private static String refusal(InputStream body) throws IOException {
    return message(new String(body.readNBytes(BODY_LIMIT), UTF_8));
  }

  /** The engine's words, out of its JSON. */
  private static String message(String body) {
    int brace = body.indexOf('{');
    if (brace >= 0) {
      try {
        JsonNode message = JSON.readTree(body.substring(brace)).get("message");
        if (message != null) {
          return message.asText();
        }
      } catch (IOException notJson) {
        LOG.debug("an answer that is no JSON", notJson);
      }
    }
    return body.strip();
  }
}
