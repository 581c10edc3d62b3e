package io.sandboxspi.remote.cloudflare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.SandboxException;
import io.sandboxspi.remote.transport.Secret;
import io.sandboxspi.spi.BackendRef;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is refused before anything is asked for. */
class CloudflareOptionsTest {
  @Test
  void whatIsNotGivenHasAValue() {
    CloudflareOptions options = CloudflareOptions.parse(Map.of());
    assertThat(options.workspace()).isEqualTo(".");
    assertThat(options.sleepAfter()).isEqualTo(Duration.ofMinutes(10));
    assertThat(options.keepAlive()).isTrue();
    assertThat(options.onRelease()).isEqualTo(CloudflareOptions.OnRelease.KEEP);
    assertThat(options.ports()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "colour, blue, workspace",
    "workspace, ../etc, /workspace",
    "workspace, /workspace/, /workspace",
    "workspace, '', /workspace",
    "sleep-after, 10, 30 to 86400",
    "sleep-after, soon, 30 to 86400",
    "keep-alive, maybe, 'true, false'",
    "on-release, stop, 'keep, delete'",
    "ports, 80, 1024",
    "ports, 3000, 3000",
    "ports, '8080,', 1024",
    "proxy, 'http://user:secret@host:1', http://host:port",
    "ca-file, /nowhere/ca.pem, read",
  })
  void aBadValueIsNamedWithWhatIsAllowed(String name, String value, String allowed) {
    SandboxException failure =
        catchThrowableOfType(
            SandboxException.class, () -> CloudflareOptions.parse(Map.of(name, value)));
    assertThat(failure.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    assertThat(failure).hasMessageContaining(name).hasMessageContaining(allowed);
    assertThat(failure.toString() + failure.context()).doesNotContain("secret");
  }

  @ParameterizedTest
  @CsvSource({
    "http://bridge.example, https",
    "https://user:secret@bridge.example, https",
    "https://bridge.example?key=secret, https",
    "bridge.example, https",
    "'https://a b', https",
  })
  void anAddressThatIsNoneOrWouldShowTheKeyIsRefused(String worker, String allowed) {
    SandboxException failure =
        catchThrowableOfType(
            SandboxException.class,
            () ->
                CloudflareSettings.read(
                    name -> name.equals(CloudflareSettings.WORKER) ? worker : "key"));
    assertThat(failure).hasMessageContaining(CloudflareSettings.WORKER);
    assertThat(failure).hasMessageContaining(allowed);
    assertThat(failure.toString()).doesNotContain("secret");
  }

  @Test
  void aKeyIsNeverShown() {
    Map<String, String> set =
        Map.of(
            CloudflareSettings.WORKER, "http://localhost:8787/", CloudflareSettings.KEY, "s3cret");
    CloudflareSettings settings = CloudflareSettings.read(name -> set.getOrDefault(name, ""));
    assertThat(settings.key()).contains(Secret.of("key", "s3cret"));
    assertThat(settings.worker().toString())
        .contains("http://localhost:8787")
        .doesNotContain("87/");
    assertThat(settings.toString()).doesNotContain("s3cret");
  }

  @Test
  void aReferenceOfAnotherProviderOrFormIsRefused() {
    for (BackendRef ref :
        new BackendRef[] {
          new BackendRef("e2b", Map.of()),
          new BackendRef("cloudflare", Map.of()),
          new BackendRef("cloudflare", Map.of("sandbox", "../x", "sleep-after", "600")),
        }) {
      assertThat(
              catchThrowableOfType(SandboxException.class, () -> CloudflareRef.parse(ref)).code())
          .isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }
  }
}
