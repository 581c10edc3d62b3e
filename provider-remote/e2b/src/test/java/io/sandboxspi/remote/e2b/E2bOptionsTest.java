package io.sandboxspi.remote.e2b;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sandboxspi.Endpoint;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.SandboxException;
import io.sandboxspi.spi.Availability;
import io.sandboxspi.spi.BackendRef;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.Deadline;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is refused before anything is made. */
class E2bOptionsTest {
  private static final String KEY = "e2b_0123456789abcdef";

  @ParameterizedTest
  @CsvSource({
    "template,a b",
    "timeout,14",
    "timeout,86401",
    "timeout,soon",
    "keep-alive,yes",
    "on-timeout,stop",
    "on-release,remove",
    "user,a:b",
    "workspace,../up",
    "workspace,/etc/x",
    "internet,no",
    "metadata,novalue",
    "metadata,io.sandboxspi.session=x",
    "stream-keep-alive,0",
    "ports,0",
    "ports,49983",
    "public,no",
    "proxy,ftp://host",
    "ca-file,/no/such/file",
    "tempalte,base"
  })
  void aBadOptionIsNamed(String name, String value) {
    SandboxException failure =
        catchThrowableOfType(
            SandboxException.class,
            () ->
                E2bProvider.with(Map.of("E2B_API_KEY", KEY, "E2B_API_URL", "http://127.0.0.1:1"))
                    .create(
                        new BackendRequest("s", Map.of(name, value)),
                        Deadline.after(Duration.ofSeconds(5))));
    assertThat(failure.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    assertThat(failure).hasMessageContaining("allowed").hasMessageContaining(name);
  }

  @Test
  void defaultsAreTheVendors() {
    E2bOptions options = E2bOptions.parse(Map.of(), false);
    assertThat(options.template()).isEqualTo("base");
    assertThat(options.timeout()).isEqualTo(Duration.ofMinutes(5));
    assertThat(options.keepAlive()).isTrue();
    assertThat(options.onTimeout()).isEqualTo(E2bOptions.OnTimeout.KILL);
    assertThat(options.onRelease()).isEqualTo(E2bOptions.OnRelease.KEEP);
    assertThat(options.workspace()).isEqualTo("workspace");
    assertThat(E2bOptions.parse(Map.of(), true).onTimeout()).isEqualTo(E2bOptions.OnTimeout.PAUSE);
  }

  @Test
  void addressesComeFromTheDomainUnlessTheyAreGiven() {
    E2bSettings plain = E2bSettings.read(name -> name.equals("E2B_API_KEY") ? KEY : "");
    assertThat(plain.apiUrl()).hasToString("https://api.e2b.app");
    Access access =
        Access.of(
            io.sandboxspi.remote.transport.Json.object()
                .put("sandboxID", "iabc-client")
                .put("domain", "e2b.dev"),
            plain);
    assertThat(access.sandbox()).isEqualTo("iabc");
    assertThat(access.daemon()).hasToString("https://49983-iabc.e2b.dev");
    assertThat(access.endpoint(8080).uri("http", "/x")).hasToString("https://8080-iabc.e2b.dev/x");
    Map<String, String> given =
        Map.of(
            "E2B_DOMAIN",
            "my.host",
            "E2B_SANDBOX_URL",
            "http://localhost:49983/",
            "E2B_API_KEY",
            KEY);
    E2bSettings own = E2bSettings.read(name -> given.getOrDefault(name, ""));
    assertThat(own.apiUrl()).hasToString("https://api.my.host");
    assertThat(own.sandboxUrl().orElseThrow()).hasToString("http://localhost:49983");
    assertThat(own.toString()).doesNotContain(KEY);
  }

  @Test
  void aPortThatIsNotPublicNeedsAHeaderThatIsNeverShown() {
    Access access =
        Access.of(
            io.sandboxspi.remote.transport.Json.object()
                .put("sandboxID", "iabc")
                .put("trafficAccessToken", "canary"),
            E2bSettings.read(name -> name.equals("E2B_API_KEY") ? KEY : ""));
    Endpoint endpoint = access.endpoint(8080);
    assertThat(endpoint.headers()).containsEntry("e2b-traffic-access-token", "canary");
    assertThat(endpoint.toString() + access).doesNotContain("canary");
    E2bSettings beside =
        E2bSettings.read(name -> name.endsWith("_SANDBOX_URL") ? "http://[::1]:1" : "");
    Endpoint plain =
        Access.of(io.sandboxspi.remote.transport.Json.object().put("sandboxID", "iabc"), beside)
            .endpoint(81);
    assertThat(plain.uri("http", "/")).hasToString("http://[::1]:81/");
  }

  @Test
  void aBadSettingIsSaidByAvailability() {
    assertThat(
            E2bProvider.with(Map.of("E2B_API_KEY", KEY, "SANDBOX_E2B_SNAPSHOTS", "memory"))
                .availability())
        .isInstanceOfSatisfying(
            Availability.Unavailable.class,
            why -> assertThat(why.reason()).contains("SANDBOX_E2B_SNAPSHOTS", "archive, vendor"));
  }

  @Test
  void aMissingOrOddKeyIsSaidAndNeverShown() {
    assertThat(E2bProvider.with(Map.of()).availability())
        .isInstanceOfSatisfying(
            Availability.Unavailable.class,
            why -> assertThat(why.reason()).contains("E2B_API_KEY", "set it"));
    assertThat(E2bProvider.with(Map.of("E2B_API_KEY", "secret-of-another-form")).availability())
        .isInstanceOfSatisfying(
            Availability.Unavailable.class,
            why -> assertThat(why.reason()).doesNotContain("secret-of"));
    assertThat(E2bProvider.with(Map.of("E2B_API_KEY", KEY)).availability())
        .isEqualTo(Availability.available());
    SandboxException failure =
        catchThrowableOfType(
            SandboxException.class,
            () ->
                E2bProvider.with(Map.of())
                    .create(
                        new BackendRequest("s", Map.of()), Deadline.after(Duration.ofSeconds(5))));
    assertThat(failure.code()).isEqualTo(ErrorCode.PROVIDER_UNAVAILABLE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"ftp://x", "not an address", "https://user:pw@host", "https://"})
  void anAddressOfAnotherFormIsRefusedWithoutShowingIt(String address) {
    Throwable refused =
        catchThrowable(() -> E2bSettings.read(name -> name.equals("E2B_API_URL") ? address : ""));
    assertThat(refused).hasMessageContaining("E2B_API_URL").hasMessageNotContaining("pw");
  }

  @Test
  void aReferenceComesBackWholeAndOthersAreRefused() {
    E2bRef ref =
        E2bRef.of(
            "iabc",
            "/home/user",
            "/home/user/workspace",
            E2bOptions.parse(Map.of("user", "root", "proxy", "http://proxy.example:3128"), false));
    assertThat(E2bRef.parse(ref.toRef())).isEqualTo(ref);
    assertThat(E2bRef.client(E2bRef.named("iabc", ref.client()))).isEqualTo(ref.client());
    for (BackendRef bad :
        java.util.List.of(
            new BackendRef("docker", ref.toRef().data()),
            new BackendRef("e2b", Map.of()),
            new BackendRef("e2b", Map.of("sandbox", "../x", "timeout", "300")))) {
      assertThat(catchThrowableOfType(SandboxException.class, () -> E2bRef.parse(bad)).code())
          .isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }
  }
}
