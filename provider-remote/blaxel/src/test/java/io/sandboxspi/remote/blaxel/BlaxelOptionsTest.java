package io.sandboxspi.remote.blaxel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.SandboxException;
import io.sandboxspi.remote.transport.Variables;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BlaxelOptionsTest {
  @ParameterizedTest
  @CsvSource({
    "image, 'a b', name of an image",
    "memory, 12, 256 to 262144",
    "memory, much, 256 to 262144",
    "region, US West, name of a region",
    "ttl, 24, a time as",
    "ttl, 0h, a time as",
    "idle-ttl, never, ttl",
    "idle-ttl, soon, 30m",
    "labels, io.sandboxspi.session=x, labels",
    "labels, x, name=value",
    "ports, 8080, not 80",
    "ports, 0, 1 to 65535",
    "previews, some, 'private, public'",
    "on-release, burn, 'keep, delete'",
    "workspace, /proc/x, system directory",
    "workspace, relative, absolute path",
    "proxy, ftp://x, http://host:port",
    "ca-file, /none, a file that can be read",
    "colour, red, idle-ttl",
  })
  void aBadOptionIsNamedWithWhatIsAllowed(String name, String value, String allowed) {
    SandboxException failure =
        catchThrowableOfType(
            SandboxException.class, () -> BlaxelOptions.parse(Map.of(name, value)));
    assertThat(failure.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    assertThat(failure).hasMessageContaining(name).hasMessageContaining(allowed);
  }

  @Test
  void anAddressWithAPasswordIsNotRepeated() {
    SandboxException failure =
        catchThrowableOfType(
            SandboxException.class,
            () -> Variables.address("api-url", "https://user:secret@host/v0"));
    assertThat(failure.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    assertThat(failure.toString()).contains("api-url").doesNotContain("secret");
  }

  @Test
  void whatIsMissingIsSaid() {
    Map<String, String> key = Map.of("BL_API_KEY", "abc");
    Settings half = Settings.of(name -> key.getOrDefault(name, ""));
    assertThat(half.missing()).hasValueSatisfying(no -> assertThat(no).contains("BL_WORKSPACE"));
    assertThat(half.toString()).doesNotContain("abc");
    Map<String, String> alone = Map.of("BL_SANDBOX_URL", "http://127.0.0.1:8080");
    assertThat(Settings.of(name -> alone.getOrDefault(name, "")).missing()).isEmpty();
    Map<String, String> other = Map.of("BL_ENV", "dev");
    assertThat(Settings.of(name -> other.getOrDefault(name, "")).api())
        .contains("https://api.blaxel.dev/v0");
  }
}
