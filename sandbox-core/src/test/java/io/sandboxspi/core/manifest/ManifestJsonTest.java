package io.sandboxspi.core.manifest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Manifest;
import io.sandboxspi.ManifestEntry;
import io.sandboxspi.SandboxException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("S-MAN-04")
@Tag("S-USER-03")
class ManifestJsonTest {
  private static Manifest read(String json) {
    return ManifestJson.read(
        json.replace('\'', '"'), Optional.of(Path.of("/base")), Map.of("vault", name -> "v"));
  }

  @Test
  void everyKindOfEntryIsRead() throws Exception {
    Manifest manifest =
        read(
            "{'version': 1, 'entries': {"
                + "'a/text': {'type': 'file', 'text': 'é'},"
                + "'bytes': {'type': 'file', 'base64': 'AP8=', 'permissions': '0600'},"
                + "'dir': {'type': 'directory', 'ephemeral': true},"
                + "'dir/l': {'type': 'local-file', 'source': 'x/y'},"
                + "'tree': {'type': 'local-directory', 'source': '.'}},"
                + "'users': ['alice', 'bob'],"
                + "'environment': {'A': 'b', 'T': {'secret': 'vault'}}}");
    assertThat(manifest.users()).containsExactly("alice", "bob");
    assertThat(manifest.entries())
        .containsEntry("a/text", ManifestEntry.file("é"))
        .containsEntry(
            "bytes", new ManifestEntry.InlineFile(new byte[] {0, (byte) 0xff}, "0600", false))
        .containsEntry("dir", ManifestEntry.directory().asEphemeral())
        .containsEntry("dir/l", ManifestEntry.localFile("x/y"))
        .containsEntry("tree", ManifestEntry.localDirectory("."));
    assertThat(manifest.ephemeralPaths()).containsExactly("dir");
    assertThat(ManifestEnvironment.resolve(manifest))
        .containsExactly(Map.entry("A", "b"), Map.entry("T", "v"));
    assertThat(manifest.toString()).doesNotContain("'b'").contains("a/text", "T");
    assertThat(read("{'version': 1}").entries()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "{'version': 1, 'entry': {}}; entries",
        "{'version': 2}; 1",
        "{'version': 1, 'users': 'alice'}; an array",
        "{'version': 1, 'users': ['a b']}; the name of an account",
        "{}; version",
        "[]; an object",
        "{'version': 1; JSON",
        "{'version': 1} {}; JSON",
        "{'version': 1, 'version': 1}; JSON",
        "{'version': 1, 'entries': []}; an object",
        "{'version': 1, 'entries': {'a': {'type': 'mount'}}}; file, directory, local-file",
        "{'version': 1, 'entries': {'a': {'text': 'x'}}}; type is missing",
        "{'version': 1, 'entries': {'a': {'type': 'file'}}}; either text or base64",
        "{'version': 1, 'entries': {'a': {'type': 'file', 'text': '', 'base64': ''}}}; either",
        "{'version': 1, 'entries': {'a': {'type': 'file', 'base64': '*'}}}; base64",
        "{'version': 1, 'entries': {'a': {'type': 'file', 'text': 1}}}; a text",
        "{'version': 1, 'entries': {'a': {'type': 'file', 'text': '', 'mode': 1}}}; permissions",
        "{'version': 1, 'entries': {'a': {'type': 'directory', 'permissions': 'u+x'}}}; octal",
        "{'version': 1, 'entries': {'a': {'type': 'directory', 'ephemeral': 1}}}; true or false",
        "{'version': 1, 'entries': {'../a': {'type': 'directory'}}}; relative POSIX",
        "{'version': 1, 'entries': {'/a': {'type': 'directory'}}}; relative POSIX",
        "{'version': 1, 'entries': {'C:/a': {'type': 'directory'}}}; relative POSIX",
        "{'version': 1, 'entries': {'a': {'type': 'local-file', 'source': '../x'}}}; source",
        "{'version': 1, 'entries': {'a': {'type': 'file', 'text': ''}, 'a/b': {'type': 'directory'}}}; below a file",
        "{'version': 1, 'environment': {'1A': 'x'}}; environment name",
        "{'version': 1, 'environment': {'A': {'secret': 'no'}}}; vault",
        "{'version': 1, 'environment': {'A': {'value': 'no'}}}; secret",
        "{'version': 1, 'environment': {'A': 7}}; text or"
      })
  void anythingElseIsAnErrorThatSaysWhatIsAllowed(String json, String words) {
    assertThatThrownBy(() -> read(json))
        .isInstanceOfSatisfying(
            SandboxException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
              assertThat(e).hasMessageContaining(words);
            });
  }

  @Test
  void localEntriesNeedABase() {
    String json = "{\"version\":1,\"entries\":{\"a\":{\"type\":\"local-file\",\"source\":\"x\"}}}";
    assertThatThrownBy(() -> ManifestJson.read(json, Optional.empty(), Map.of()))
        .hasMessageContaining("base");
  }

  @Test
  void valuesAreInNoError() {
    assertThatThrownBy(() -> read("{'version': 1, 'environment': {'A': ['s3cret']}}"))
        .isInstanceOf(SandboxException.class)
        .message()
        .doesNotContain("s3cret");
    assertThat(ManifestEntry.file("s3cret").toString()).doesNotContain("s3cret");
    assertThat(new String(ManifestEntry.file("x").content(), UTF_8)).isEqualTo("x");
  }

  @Test
  void theSchemaNamesWhatIsRead() throws Exception {
    JsonNode schema = new ObjectMapper().readTree(ManifestJson.schema());
    assertThat(schema.path("properties").properties())
        .extracting(Map.Entry::getKey)
        .containsExactlyInAnyOrder("version", "entries", "environment", "users");
    assertThat(schema.path("$defs").path("file").path("properties").properties())
        .extracting(Map.Entry::getKey)
        .containsExactlyInAnyOrder("type", "text", "base64", "permissions", "ephemeral");
  }
}
