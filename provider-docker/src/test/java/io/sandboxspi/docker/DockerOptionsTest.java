package io.sandboxspi.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.SandboxException;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.Deadline;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DockerOptionsTest {
  private static Map<String, String> with(String name, String value) {
    Map<String, String> options = new HashMap<>(Map.of("image", "debian"));
    options.put(name, value);
    return options;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "image|UPPER",
        "image|a b",
        "image|-rf",
        "pull|sometimes",
        "memory|lots",
        "memory|1k",
        "memory|99999999999999999999",
        "memory|9000000000000000g",
        "cpus|0",
        "cpus|-1",
        "cpus|x",
        "pids|0",
        "pids|many",
        "network|host",
        "workspace|relative",
        "workspace|/",
        "workspace|/a/../b",
        "workspace|/proc/x",
        "user|a b",
        "user|--privileged",
        "ports|0",
        "ports|65536",
        "ports|a:80",
        "ports|1:2:3",
        "ports|",
        "read-only|yes",
        "tmpfs|tmp",
        "tmpfs|/tmp:huge",
        "binds|/etc",
        "binds|/etc:/x",
        "binds|etc:/x",
        "binds|/etc:/x:rw",
        "volumes|data",
        "volumes|/host:/x",
        "volumes|data:/x:rw",
        "volumes|data:x",
        "labels|io.sandboxspi.session=x",
        "labels|nothing",
        "capabilities|sys admin",
        "init|1",
        "runtime|../runc",
        "spares|-1",
        "spares|17",
        "on-release|burn",
      })
  void S_VAL_02_aBadValueNamesItsField(String name, String value) {
    String text = value == null ? " " : value;
    assertThatThrownBy(() -> DockerOptions.parse(with(name, text)))
        .isInstanceOfSatisfying(
            SandboxException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
              assertThat(e.getMessage()).startsWith(name + " is");
              assertThat(e.context()).containsEntry("field", name);
            });
  }

  @Test
  void S_VAL_02_unknownNamesAndAMissingImageAreRefusedBeforeAnEngineIsAsked() {
    DockerProvider provider = new DockerProvider();
    Deadline deadline = Deadline.after(Duration.ofSeconds(5));
    assertThatThrownBy(
            () -> provider.create(new BackendRequest("s", with("privileged", "true")), deadline))
        .hasMessageContaining("privileged")
        .hasMessageContaining("no-new-privileges");
    assertThatThrownBy(
            () ->
                provider.create(new BackendRequest("s", Map.of("host", "unix:///none")), deadline))
        .hasMessageContaining("image is missing");
  }

  @Test
  void S_VAL_02_optionsThatContradictEachOtherAreRefused() {
    Map<String, String> options = with("network", "none");
    options.put("ports", "80");
    assertThatThrownBy(() -> DockerOptions.parse(options)).hasMessageStartingWith("ports is");
  }

  @Test
  void defaultsAreSafe() {
    DockerOptions options = DockerOptions.parse(Map.of("image", "debian:12"));
    assertThat(options.newPrivileges()).isFalse();
    assertThat(options.capabilities()).doesNotContain("SYS_ADMIN", "NET_RAW", "MKNOD");
    assertThat(options.pids()).isPositive();
    assertThat(options.workspace()).isEqualTo("/workspace");
    assertThat(options.binds()).isEmpty();
  }

  @Test
  void valuesAreUnderstood() {
    Map<String, String> given = with("memory", "512m");
    given.put("cpus", "1.5");
    given.put("ports", "80,8080:81,0.0.0.0:9000:82");
    given.put("tmpfs", "/tmp:64m,/var/x");
    given.put("labels", "a=b=c");
    DockerOptions options = DockerOptions.parse(given);
    assertThat(options.memory()).hasValue(512L << 20);
    assertThat(options.cpus()).hasValueSatisfying(cpus -> assertThat(cpus).isEqualTo("1.5"));
    assertThat(options.ports())
        .isEqualTo(
            List.of(
                new DockerOptions.PublishedPort("127.0.0.1", 0, 80),
                new DockerOptions.PublishedPort("127.0.0.1", 8080, 81),
                new DockerOptions.PublishedPort("0.0.0.0", 9000, 82)));
    assertThat(options.tmpfs()).isEqualTo(Map.of("/tmp", 64L << 20, "/var/x", 0L));
    assertThat(options.labels()).isEqualTo(Map.of("a", "b=c"));
  }

  @Test
  void bindsAreAllowedBelowTheRootsOnly(@TempDir Path root) throws Exception {
    Path inside = java.nio.file.Files.createDirectory(root.resolve("in"));
    Path link = java.nio.file.Files.createSymbolicLink(root.resolve("out"), Path.of("/etc"));
    System.setProperty(DockerOptions.BIND_ROOTS, root.toString());
    try {
      assertThat(DockerOptions.parse(with("binds", inside + ":/data:ro")).binds())
          .isEqualTo(List.of(new DockerOptions.Bind(inside.toString(), "/data", true)));
      for (String outside : List.of("/etc", link.toString(), root + "x")) {
        assertThatThrownBy(() -> DockerOptions.parse(with("binds", outside + ":/data")))
            .hasMessageContaining("below");
      }
    } finally {
      System.clearProperty(DockerOptions.BIND_ROOTS);
    }
  }
}
