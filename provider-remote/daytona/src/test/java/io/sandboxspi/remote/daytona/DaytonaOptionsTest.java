package io.sandboxspi.remote.daytona;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.SandboxException;
import io.sandboxspi.remote.transport.Variables;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DaytonaOptionsTest {
  @ParameterizedTest
  @CsvSource({
    "image, 'a b', name of an image",
    "auto-stop, -1, 0 to 525600",
    "auto-stop, soon, 0 to 525600",
    "auto-stop, 0, ttl",
    "cpu, 2, image",
    "labels, io.sandboxspi.session=x, labels",
    "labels, x, name=value",
    "network, some, 'default, none'",
    "on-release, burn, keep",
    "workspace, /proc/x, system directory",
    "workspace, relative, absolute path",
    "ports, 2280, 1 to 65535",
    "link-life, 0, 1 to 86400",
    "link-life, 86401, 1 to 86400",
    "link-life, soon, 1 to 86400",
    "colour, red, auto-stop",
  })
  void aBadOptionIsNamedWithWhatIsAllowed(String name, String value, String allowed) {
    SandboxException failure =
        catchThrowableOfType(
            SandboxException.class, () -> DaytonaOptions.parse(Map.of(name, value)));
    assertThat(failure.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    assertThat(failure).hasMessageContaining(name).hasMessageContaining(allowed);
  }

  @Test
  void aPublicSandboxHasNoAddressesThatEnd() {
    SandboxException failure =
        catchThrowableOfType(
            SandboxException.class,
            () -> DaytonaOptions.parse(Map.of("public", "true", "link-life", "60")));
    assertThat(failure.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    assertThat(failure).hasMessageContaining("link-life").hasMessageContaining("public");
  }

  @Test
  void anAddressWithAPasswordIsNotRepeated() {
    SandboxException failure =
        catchThrowableOfType(
            SandboxException.class,
            () -> Variables.address("api-url", "https://user:secret@host/api"));
    assertThat(failure.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    assertThat(failure.toString()).contains("api-url").doesNotContain("secret");
  }

  @Test
  void aTokenOfAUserNeedsNoKey() {
    Map<String, String> set = Map.of("DAYTONA_JWT_TOKEN", "abc", "DAYTONA_ORGANIZATION_ID", "org");
    Settings settings = Settings.of(name -> set.getOrDefault(name, ""));
    assertThat(settings.missing()).isEmpty();
    assertThat(settings.organization()).contains("org");
    assertThat(settings.toString()).doesNotContain("abc");
  }
}
