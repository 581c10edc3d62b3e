package io.sandboxspi.remote.e2b;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sandboxspi.Endpoint;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.SandboxBackend;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What a caller gets for a port, and what it is good for. */
@Execution(ExecutionMode.CONCURRENT)
class E2bPortsTest {
  private final E2bFixture fixture = new E2bFixture();

  @AfterEach
  void stop() {
    fixture.close();
  }

  /** The edge's answer for a port where nobody listens. */
  private int status(SandboxSession session, Map<String, String> headers) throws IOException {
    HttpURLConnection connection =
        (HttpURLConnection) URI.create(fixture.fake.uri() + "/").toURL().openConnection();
    connection.setRequestProperty("E2b-Sandbox-Id", fixture.sandbox(session).id());
    connection.setRequestProperty("E2b-Sandbox-Port", "8080");
    headers.forEach(connection::setRequestProperty);
    try {
      return connection.getResponseCode();
    } finally {
      connection.disconnect();
    }
  }

  @Test
  void aPortIsPublicUnlessItIsToNeedItsHeader() throws Exception {
    try (SandboxSession session = fixture.open(Map.of("ports", "8080"))) {
      assertThat(session.endpoint(8080).headers()).isEmpty();
      assertThat(status(session, Map.of())).isEqualTo(502);
    }
    try (SandboxSession session = fixture.open(Map.of("ports", "8080", "public", "false"))) {
      Endpoint endpoint = session.endpoint(8080);
      assertThat(status(session, Map.of())).isEqualTo(403);
      assertThat(status(session, endpoint.headers())).isEqualTo(502);
      assertThat(session.backend().toString())
          .doesNotContain(endpoint.headers().values().iterator().next());
    }
  }

  @Test
  void whoAttachesHasTheHeaderToo() throws Exception {
    E2bProvider provider = fixture.provider();
    SandboxBackend first =
        provider.create(
            new BackendRequest("ports", Map.of("ports", "8080", "public", "false")),
            E2bFixture.seconds(30));
    Endpoint endpoint = first.endpoint(8080, E2bFixture.seconds(10));
    SandboxBackend again = provider.attach(first.ref(), E2bFixture.seconds(20));
    assertThat(again.ports()).containsExactly(8080);
    assertThat(again.endpoint(8080, E2bFixture.seconds(10))).isEqualTo(endpoint);
    again.detach(E2bFixture.seconds(5));
    Object unused = provider.delete(first.ref(), E2bFixture.seconds(10));
    SandboxException gone =
        catchThrowableOfType(
            SandboxException.class, () -> again.endpoint(8080, E2bFixture.seconds(10)));
    assertThat(gone.code()).isEqualTo(ErrorCode.BACKEND_GONE);
  }

  @Test
  void aPausedSandboxHasNoAddressUnlessItsUseWakesIt() throws Exception {
    try (SandboxSession session = fixture.open(Map.of("ports", "8080"))) {
      assertThat(fixture.sandbox(session).pause()).isTrue();
      SandboxException failure =
          catchThrowableOfType(SandboxException.class, () -> session.endpoint(8080));
      assertThat(failure.code()).isEqualTo(ErrorCode.BACKEND_NOT_RUNNING);
    }
    try (SandboxSession session = fixture.open(Map.of("ports", "8080", "on-timeout", "pause"))) {
      assertThat(fixture.sandbox(session).pause()).isTrue();
      assertThat(session.endpoint(8080).port()).isEqualTo(8080);
      assertThat(fixture.sandbox(session).paused()).isFalse();
    }
  }
}
