package io.sandboxspi.docker.engine;

import com.github.dockerjava.transport.DockerHttpClient;
import io.sandboxspi.docker.engine.EngineException.Kind;
import io.sandboxspi.spi.Deadline;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;

/**
 * docker-java's way to the engine: a connection for each request, so that no pool can run dry, all
 * under one deadline. docker-java's own transports have no deadline on unix sockets.
 */
final class EngineTransport implements DockerHttpClient {
  private final EngineAddress address;
  private final Deadline deadline;

  EngineTransport(EngineAddress address, Deadline deadline) {
    this.address = address;
    this.deadline = deadline;
  }

  @Override
  public Response execute(Request request) {
    if (request.hijackedInput() != null) {
      throw new UnsupportedOperationException("attach goes over a connection of its own");
    }
    HttpConnection connection = HttpConnection.open(address, deadline);
    boolean done = false;
    try {
      byte[] bytes = request.bodyBytes();
      InputStream stream = bytes == null ? request.body() : null;
      if (stream != null) {
        connection.send(request.method(), request.path(), request.headers(), stream);
      } else {
        connection.send(
            request.method(),
            request.path(),
            request.headers(),
            bytes == null ? new byte[0] : bytes);
      }
      Head head = connection.readHead();
      done = true;
      return new Answer(connection, head);
    } catch (IOException e) {
      throw new EngineException(Kind.BROKEN, "the body of a request cannot be read", e);
    } finally {
      if (!done) {
        connection.close();
      }
    }
  }

  private record Answer(HttpConnection connection, Head head) implements Response {
    @Override
    public int getStatusCode() {
      return head.status();
    }

    @Override
    public Map<String, List<String>> getHeaders() {
      return head.headers();
    }

    @Override
    public InputStream getBody() {
      return connection.body(head);
    }

    @Override
    public void close() {
      connection.close();
    }
  }

  @Override
  public void close() {
    // Connections belong to their answers.
  }
}
