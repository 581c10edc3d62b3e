package io.sandboxspi.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sandboxspi.tck.Rule;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ProvidersTest {
  @Test
  @Rule("S-CLI-06")
  void listsEveryProviderAndWhyItCannotBeUsed() throws Exception {
    CliProcess.Result result = CliProcess.runWithMoreProviders("providers");

    assertThat(result.code()).isZero();
    assertThat(result.out())
        .contains("local: available\n  io.sandboxspi.local.LocalProvider\n  TTY ")
        .contains("absent: unavailable, it needs a moon base: build one\n")
        .contains("it fell off the shelf");
  }

  @Test
  @Rule("S-CLI-06")
  void listsThemForScripts() throws Exception {
    CliProcess.Result result = CliProcess.runWithMoreProviders("providers", "--json");

    Map<String, JsonNode> byName = new HashMap<>();
    new ObjectMapper()
        .readTree(result.out())
        .forEach(it -> byName.put(it.get("name").asText(), it));
    assertThat(byName.get("local").get("available").asBoolean()).isTrue();
    assertThat(byName.get("local").get("capabilities")).anyMatch(it -> it.asText().equals("TTY"));
    assertThat(byName.get("absent").get("available").asBoolean()).isFalse();
    assertThat(byName.get("absent").get("reason").asText()).contains("moon base");
    assertThat(byName)
        .containsKeys("docker", "e2b", "daytona", "blaxel", "cloudflare", "modal")
        .hasSizeGreaterThan(6);
  }

  @Test
  @Rule("S-CLI-06")
  void saysWhatDockerLacks() throws Exception {
    try (CliProcess cli =
        CliProcess.start(Map.of("DOCKER_HOST", "unix:///no/such/socket"), "providers")) {
      CliProcess.Result result = cli.end();

      assertThat(result.code()).isZero();
      assertThat(result.out()).contains("docker: unavailable, there is no socket /no/such/socket");
    }
  }

  @Test
  @Rule({"S-CLI-02", "S-CLI-06"})
  void anUnknownProviderIsOneLineThatListsTheKnownOnes() throws Exception {
    CliProcess.Result result =
        CliProcess.runWithMoreProviders("run", "--provider", "nowhere", "--", "true");

    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err())
        .startsWith("sandbox: ")
        .contains("nowhere", "local", "absent", "moon base", "fell off the shelf")
        .hasLineCount(1);
  }

  @Test
  @Rule("S-CLI-06")
  void aProviderThatCannotWorkSaysWhy() throws Exception {
    CliProcess.Result result =
        CliProcess.runWithMoreProviders("run", "--provider", "absent", "--", "true");

    assertThat(result.code()).isEqualTo(125);
    assertThat(result.err()).startsWith("sandbox: ").contains("moon base").hasLineCount(1);
  }
}
