package io.sandboxspi.remote.transport;

import io.sandboxspi.spi.Deadline;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Tests with a server each, and a transport without second attempts. */
abstract class OnTestServer {
  final HttpTransport transport;
  final Heard heard = new Heard();
  TestServer server;

  OnTestServer() {
    this(RetryPolicy.NONE);
  }

  OnTestServer(RetryPolicy retries) {
    transport = HttpTransport.of(ClientOptions.defaults("test"), retries, ErrorBody::common);
  }

  @BeforeEach
  final void start() throws Exception {
    server = new TestServer();
  }

  @AfterEach
  final void stop() throws Exception {
    server.close();
  }

  static Deadline seconds(int value) {
    return Deadline.after(Duration.ofSeconds(value));
  }
}
