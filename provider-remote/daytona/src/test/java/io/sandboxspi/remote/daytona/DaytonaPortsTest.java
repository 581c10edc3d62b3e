package io.sandboxspi.remote.daytona;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sandboxspi.Capability;
import io.sandboxspi.Endpoint;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.fake.Fault;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.SandboxBackend;
import java.net.URI;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a caller gets for a port, and what it is good for. */
@Execution(ExecutionMode.CONCURRENT)
class DaytonaPortsTest {
  private final DaytonaFixture fixture = new DaytonaFixture();

  @AfterEach
  void stop() {
    fixture.close();
    assertThat(fixture.fake.faults().unused()).as("faults that nobody met").isZero();
  }

  private static String token(Endpoint endpoint) {
    return endpoint.query().orElseThrow().replaceFirst("^DAYTONA_SANDBOX_AUTH_KEY=", "");
  }

  @Test
  void aPortIsReachedWithTheTokenInItsAddress() throws Exception {
    try (Loopback.Web web = new Loopback.Web();
        SandboxSession session = fixture.open(Map.of("ports", "8080," + web.port()))) {
      Endpoint endpoint = session.endpoint(web.port());
      URI uri = endpoint.uri("http", "/hello");
      assertThat(uri.getHost()).startsWith(web.port() + "-" + fixture.sandbox(session).id());
      assertThat(Loopback.status(uri)).isEqualTo(200);
      assertThat(endpoint.toString()).doesNotContain(token(endpoint));
      // Without it, and with another one, the vendor sends its login.
      assertThat(Loopback.status(Loopback.without(uri))).isEqualTo(307);
      assertThat(Loopback.status(URI.create(uri + "x"))).isEqualTo(307);
    }
  }

  @Test
  void aPortWhereNobodyListensYetHasAnAddress() throws Exception {
    int port = Loopback.unusedPort();
    try (SandboxSession session = fixture.open(Map.of("ports", "" + port))) {
      assertThat(Loopback.status(session.endpoint(port).uri("http", "/"))).isEqualTo(502);
    }
  }

  @Test
  void aPublicSandboxNeedsNoToken() throws Exception {
    try (Loopback.Web web = new Loopback.Web();
        SandboxSession session = fixture.open(Map.of("ports", "" + web.port(), "public", "true"))) {
      Endpoint endpoint = session.endpoint(web.port());
      assertThat(endpoint.query()).isEmpty();
      assertThat(Loopback.status(endpoint.uri("http", "/"))).isEqualTo(200);
    }
  }

  @Test
  void anAddressThatEndsHasItsTokenInItsName() throws Exception {
    try (Loopback.Web web = new Loopback.Web();
        SandboxSession session =
            fixture.open(Map.of("ports", "" + web.port(), "link-life", "3600"))) {
      Endpoint endpoint = session.endpoint(web.port());
      assertThat(endpoint.query()).isEmpty();
      assertThat(endpoint.host()).doesNotContain(fixture.sandbox(session).id());
      assertThat(endpoint.toString())
          .doesNotContain(endpoint.host().substring(0, endpoint.host().indexOf('.')));
      assertThat(Loopback.status(endpoint.uri("http", "/"))).isEqualTo(200);
    }
  }

  @Test
  void anAddressWhoseTimeIsOverLeadsToTheVendorsLogin() throws Exception {
    try (Loopback.Web web = new Loopback.Web();
        SandboxSession session = fixture.open(Map.of("ports", "" + web.port(), "link-life", "1"))) {
      URI uri = session.endpoint(web.port()).uri("http", "/");
      assertThat(DaytonaFixture.until(() -> Loopback.status(uri) == 307)).isTrue();
      assertThat(session.endpoint(web.port()).uri("http", "/")).isNotEqualTo(uri);
    }
  }

  @Test
  void aStartMakesAnotherTokenAndASessionKnowsIt() throws Exception {
    DaytonaProvider provider = fixture.provider();
    try (Loopback.Web web = new Loopback.Web()) {
      SandboxBackend first =
          provider.create(
              new BackendRequest("ports", Map.of("ports", "" + web.port(), "on-release", "stop")),
              DaytonaFixture.seconds(30));
      URI before = first.endpoint(web.port(), DaytonaFixture.seconds(10)).uri("http", "/");
      assertThat(Loopback.status(before)).isEqualTo(200);
      Object released = first.release(DaytonaFixture.seconds(20));
      assertThat(released).isNotNull();
      SandboxException failure =
          catchThrowableOfType(
              SandboxException.class, () -> first.endpoint(web.port(), DaytonaFixture.seconds(10)));
      assertThat(failure.code()).isEqualTo(ErrorCode.BACKEND_NOT_RUNNING);
      assertThat(failure).hasMessageContaining("stopped");
      assertThat(Loopback.status(before)).isEqualTo(400);
      SandboxBackend again = provider.attach(first.ref(), DaytonaFixture.seconds(30));
      assertThat(again.ports()).containsExactly(web.port());
      URI after = again.endpoint(web.port(), DaytonaFixture.seconds(10)).uri("http", "/");
      assertThat(Loopback.status(before)).isEqualTo(307);
      assertThat(Loopback.status(after)).isEqualTo(200);
      again.detach(DaytonaFixture.seconds(5));
      Object unused = provider.delete(first.ref(), DaytonaFixture.seconds(20));
      SandboxException gone =
          catchThrowableOfType(
              SandboxException.class, () -> again.endpoint(web.port(), DaytonaFixture.seconds(10)));
      assertThat(gone.code()).isEqualTo(ErrorCode.BACKEND_GONE);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "200, '{\"url\":\"ftp://x/\",\"token\":\"canary\"}', no address",
    "200, '{\"url\":\"https://1-canary.x/p?q\",\"token\":\"canary\"}', no address",
    "200, '{\"url\":\"https://1-x.y\",\"token\":\"a canary\"}', token",
    "200, '{\"token\":\"canary\"}', no url",
    "403, '{\"message\":\"not for this plan\"}', not for this plan",
    "500, '{\"message\":\"it failed\"}', it failed",
  })
  void anAnswerThatIsNoAddressIsOneErrorWithoutItsToken(int status, String body, String said)
      throws Exception {
    try (SandboxSession session = fixture.open(Map.of("ports", "3000"))) {
      fixture
          .fake
          .faults()
          .on(
              "GET /api/sandbox/" + fixture.sandbox(session).id() + "/ports",
              new Fault.Refuse(status, "application/json", body, -1));
      SandboxException failure =
          catchThrowableOfType(SandboxException.class, () -> session.endpoint(3000));
      assertThat(failure.code()).isEqualTo(ErrorCode.PORT_UNAVAILABLE);
      assertThat(failure).hasMessageContaining(said);
      assertThat(DaytonaFixture.words(failure)).doesNotContain("canary");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "65536", "2280", "22222", "80,", "http", "-1"})
  void aPortThatCannotBeIsRefusedBeforeAnythingIsMade(String ports) {
    SandboxException failure =
        catchThrowableOfType(
            SandboxException.class, () -> fixture.open(Map.of("ports", ports)).close());
    assertThat(failure.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    assertThat(failure).hasMessageContaining("ports").hasMessageContaining("1 to 65535");
    assertThat(fixture.fake.faults().count("POST /api/sandbox")).isZero();
  }

  @Test
  void aDaemonAloneHasItsPortsBesideIt() throws Exception {
    DaytonaProvider provider =
        DaytonaProvider.with(Map.of("DAYTONA_TOOLBOX_URL", "http://[::1]:2280"));
    assertThat(provider.capabilities()).contains(Capability.PORTS);
    Connection connection =
        Connection.of(
            Settings.of(name -> name.equals("DAYTONA_TOOLBOX_URL") ? "http://[::1]:2280" : ""),
            Map.of());
    assertThat(connection.toolbox("x", "", DaytonaFixture.seconds(1)).host()).isEqualTo("::1");
  }
}
