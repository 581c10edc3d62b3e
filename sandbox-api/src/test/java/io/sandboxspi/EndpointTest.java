package io.sandboxspi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("S-PORT-02")
class EndpointTest {
  private static Endpoint endpoint(String host, int port, boolean tls, String query) {
    return new Endpoint(host, port, tls, Optional.of(query));
  }

  @Test
  void aUrlHasTheSchemeOfTheEndpointAndNoPortThatIsTheSchemesOwn() {
    assertThat(Endpoint.plain("a.example", 8080).uri("http", "/x"))
        .hasToString("http://a.example:8080/x");
    assertThat(Endpoint.plain("a.example", 80).uri("ws", "/")).hasToString("ws://a.example/");
    assertThat(endpoint("a.example", 443, true, "").uri("http", "/"))
        .hasToString("https://a.example/");
    assertThat(endpoint("a.example", 80, true, "").uri("ws", "/"))
        .hasToString("wss://a.example:80/");
  }

  @Test
  void anIpv6AddressIsInBrackets() {
    assertThat(Endpoint.plain("::1", 81).uri("http", "/")).hasToString("http://[::1]:81/");
  }

  @Test
  void theQueryIsAppendedOnceWithOrWithoutItsMark() {
    assertThat(endpoint("h", 1, false, "t=1").uri("http", "/")).hasToString("http://h:1/?t=1");
    assertThat(endpoint("h", 1, false, "?t=1").uri("http", "/")).hasToString("http://h:1/?t=1");
    assertThat(endpoint("h", 1, false, "t=1").uri("http", "/a?b=2"))
        .hasToString("http://h:1/a?b=2&t=1");
    assertThat(endpoint("h", 1, false, "?").uri("http", "/")).hasToString("http://h:1/");
  }

  @Test
  void aTokenIsNotShown() {
    assertThat(endpoint("h", 1, true, "token=canary").toString()).doesNotContain("canary");
    Endpoint named =
        new Endpoint(
            "3000-canary.example.org", 443, true, Optional.empty(), Map.of("x-token", "canary"));
    assertThat(named.headers()).containsEntry("x-token", "canary");
    assertThat(named).hasToString("Endpoint[*.example.org, 443, tls]");
  }

  @Test
  void aHostThatCanBeNoTokenIsShown() {
    for (String host : List.of("127.0.0.1", "::1", "fe80::1:2", "localhost")) {
      assertThat(Endpoint.plain(host, 81)).hasToString("Endpoint[" + host + ", 81]");
    }
  }

  @Test
  void badValuesAreRefused() {
    assertThatThrownBy(() -> Endpoint.plain("h", 0)).isInstanceOf(SandboxException.class);
    assertThatThrownBy(() -> Endpoint.plain("h", 1).uri("ftp", "/"))
        .hasMessageContaining("http, ws");
    assertThatThrownBy(() -> Endpoint.plain("h", 1).uri("http", "x")).hasMessageContaining("slash");
  }
}
