package io.sandboxspi.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sandboxspi.Checkpoint;
import io.sandboxspi.SnapshotPolicy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("S-CLI-08")
class NamedSandboxesTest {
  private static final NamedSandbox DEMO =
      new NamedSandbox(
          "demo",
          "local",
          Map.of("base", "/x \"y\""),
          SnapshotPolicy.NONE,
          NamedSandbox.State.CREATING,
          Instant.parse("2026-01-02T03:04:05Z"),
          "");

  @TempDir Path temporary;
  private NamedSandboxes sandboxes;

  @BeforeEach
  void open() {
    sandboxes = new NamedSandboxes(temporary.resolve("state").resolve("sandbox"));
  }

  @Test
  void whatIsPutIsFoundAndOnlyItsOwnerCanRead() throws Exception {
    assertThat(sandboxes.names()).isEmpty();
    NamedSandbox live = DEMO.at(NamedSandbox.State.LIVE, Checkpoint.of("local", "abc", 3));
    sandboxes.put(DEMO);
    sandboxes.put(live);
    assertThat(sandboxes.find("demo")).contains(live);
    assertThat(sandboxes.get("demo").where()).contains(Checkpoint.of("local", "abc", 3));
    assertThat(sandboxes.names()).containsExactly("demo");
    try (Stream<Path> all = Files.walk(temporary.resolve("state").resolve("sandbox"))) {
      for (Path each : all.toList()) {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(each)))
            .as("%s", each)
            .isEqualTo(Files.isDirectory(each) ? "rwx------" : "rw-------");
      }
    }
    sandboxes.remove("demo");
    assertThat(sandboxes.find("demo")).isEmpty();
  }

  @Test
  void whatACrashLeftIsNotSeen() throws Exception {
    sandboxes.put(DEMO);
    Path directory = temporary.resolve("state/sandbox/sandboxes");
    Files.writeString(directory.resolve(".half.tmp"), "{");
    assertThat(sandboxes.names()).containsExactly("demo");
    Files.writeString(directory.resolve("torn.json"), "{\"version\":1,");
    assertThatThrownBy(() -> sandboxes.find("torn")).hasMessageContaining("torn");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ".", "..", "a/b", "-x", "a b", "ü", ".json"})
  void badNamesAreRefused(String name) {
    assertThatThrownBy(() -> sandboxes.find(name)).hasMessageContaining("allowed");
  }

  @Test
  void anUnknownNameListsTheKnownOnes() {
    sandboxes.put(DEMO);
    assertThatThrownBy(() -> sandboxes.get("other")).hasMessageContaining("known: demo");
  }

  @Test
  void fieldsOfALaterVersionArePassedOver() {
    String later = DEMO.toJson().replace("\"version\":1", "\"version\":1,\"more\":{\"a\":[1]}");
    assertThat(NamedSandbox.fromJson("demo", later)).isEqualTo(DEMO);
  }
}
