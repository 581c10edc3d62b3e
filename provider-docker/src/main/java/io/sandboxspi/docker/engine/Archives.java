package io.sandboxspi.docker.engine;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sandboxspi.docker.engine.EngineException.Kind;
import io.sandboxspi.spi.Deadline;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLEncoder;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Base64;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Archives of a container's files, which the engine makes and takes itself, as its own user and
 * without a process in the container. It does not see file systems that only the container has.
 */
public final class Archives {
  private static final Logger LOG = LoggerFactory.getLogger(Archives.class);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Engine engine;
  private final String container;
  private final Set<HttpConnection> open = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /** Of one container. */
  public Archives(Engine engine, String container) {
    this.engine = engine;
    this.container = container;
  }

  /**
   * What the engine finds at a path.
   *
   * @param size in bytes
   * @param modified as exactly as the file system knows
   */
  public record Found(long size, Instant modified) {}

  /**
   * A path and all below it.
   *
   * @param found the path itself
   * @param tar to be closed; its reads fail with an {@link EngineException}
   */
  public record Download(Found found, InputStream tar) {}

  /** Whether nothing slow is between the engine and this machine. */
  public boolean near() {
    return engine.address() instanceof EngineAddress.Unix;
  }

  /** Ends what is moved; whoever moves it is told that it broke. */
  public void abort() {
    open.forEach(HttpConnection::close);
  }

  /** The same, and refuses more. */
  public void close() {
    closed = true;
    abort();
  }

  private void begin(HttpConnection connection) {
    open.add(connection);
    if (closed) {
      end(connection);
      throw new EngineException(Kind.BROKEN, "the sandbox is released");
    }
  }

  private void end(HttpConnection connection) {
    open.remove(connection);
    connection.close();
  }

  private String path(String path) {
    String encoded = URLEncoder.encode(path, UTF_8).replace("+", "%20");
    return "/containers/" + container + "/archive?path=" + encoded;
  }

  /** Looks at a path. */
  public Found find(String path, Deadline deadline) throws InterruptedException {
    return engine.exchange(
        deadline,
        connection -> {
          connection.send("HEAD", path(path), Map.of(), new byte[0]);
          Head head = connection.readHead();
          connection.close();
          if (head.status() != 200) {
            throw new Refusal(head.status(), "the engine does not see " + path);
          }
          return found(head);
        });
  }

  /** Reads a path; the deadline holds for the stream too. */
  public Download download(String path, Deadline deadline) throws InterruptedException {
    return engine.exchange(
        deadline,
        connection -> {
          boolean done = false;
          begin(connection);
          try {
            connection.send("GET", path(path), Map.of(), new byte[0]);
            Head head = Engine.good(connection);
            connection.expectMuch();
            Download download = new Download(found(head), body(connection, head));
            done = true;
            return download;
          } finally {
            if (!done) {
              end(connection);
            }
          }
        });
  }

  private InputStream body(HttpConnection connection, Head head) {
    return new FilterInputStream(connection.body(head)) {
      @Override
      public void close() {
        end(connection);
      }
    };
  }

  private static Found found(Head head) throws IOException {
    try {
      String text = head.header("X-Docker-Container-Path-Stat").orElse("");
      JsonNode stat = JSON.readTree(Base64.getDecoder().decode(text));
      return new Found(
          stat.path("size").asLong(-1),
          OffsetDateTime.parse(stat.path("mtime").asText("")).toInstant());
    } catch (IllegalArgumentException | DateTimeException e) {
      throw new EngineException(
          Kind.MALFORMED, "the engine's answer does not say what it found", e);
    }
  }

  /**
   * Unpacks into a directory. A tar that cannot be read, or ends early, is an {@link
   * EngineException} whose cause says so; the engine is through with what it got then.
   *
   * @param length of the tar
   */
  public void upload(String directory, InputStream tar, long length, Deadline deadline)
      throws InterruptedException {
    Object unused =
        engine.exchange(
            deadline,
            connection -> {
              begin(connection);
              try {
                send(connection, path(directory), tar, length);
                return Engine.good(connection);
              } finally {
                end(connection);
              }
            });
  }

  private static void send(HttpConnection connection, String path, InputStream tar, long length)
      throws IOException {
    try {
      connection.send("PUT", path, Map.of("Content-Type", "application/x-tar"), tar, length);
    } catch (IOException unreadable) {
      connection.endRequest();
      try {
        Head unused = connection.readHead();
      } catch (EngineException e) {
        LOG.debug("no answer to an archive that is not whole", e);
      }
      throw unreadable;
    } catch (EngineException broken) {
      // An engine that refuses hangs up, and has said why.
      if (broken.kind() == Kind.BROKEN) {
        Head unused = Engine.good(connection);
      }
      throw broken;
    }
  }
}
