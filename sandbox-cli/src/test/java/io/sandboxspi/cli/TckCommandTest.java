package io.sandboxspi.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sandboxspi.tck.Rule;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TckCommandTest {
  @TempDir private Path directory;

  @Test
  @Rule("S-CLI-05")
  void writesBothReportsAndExits0WhenTheRulesHold() throws Exception {
    Path reports = directory.resolve("not/yet/there");

    CliProcess.Result result =
        CliProcess.run(
            "tck", "--provider", "local", "--rule", "S-EXEC-01", "--report", reports.toString());

    assertThat(result.err()).isEmpty();
    assertThat(result.code()).isZero();
    assertThat(result.out()).contains("PASSED", "passed: ", "rules passed: S-EXEC-01", "report.md");
    JsonNode report = new ObjectMapper().readTree(reports.resolve("report.json").toFile());
    assertThat(report.get("passed").asBoolean()).isTrue();
    assertThat(Files.readString(reports.resolve("report.md"))).contains("S-EXEC-01");
  }

  @Test
  @Rule("S-CLI-05")
  void exits1AndNamesTheRuleThatFails() throws Exception {
    CliProcess.Result result =
        CliProcess.runWithMoreProviders(
            "tck", "--provider", "liar", "--rule", "S-EXEC-01", "--report", directory.toString());

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.out()).contains("FAILED", "rules failed: S-EXEC-01");
    JsonNode report = new ObjectMapper().readTree(directory.resolve("report.json").toFile());
    assertThat(report.get("passed").asBoolean()).isFalse();
    assertThat(Files.exists(directory.resolve("report.md"))).isTrue();
  }

  @Test
  @Rule({"S-CLI-02", "S-CLI-05"})
  void anUnknownRuleOrOptionIsAUsageError() throws Exception {
    CliProcess.Result rule = CliProcess.run("tck", "--rule", "S-NONE-01");
    assertThat(rule.code()).isEqualTo(2);
    assertThat(rule.err()).contains("'--rule': 'S-NONE-01'; allowed: ").hasLineCount(1);

    CliProcess.Result option = CliProcess.run("tck", "--option", "colour=red");
    assertThat(option.code()).isEqualTo(2);
    assertThat(option.err()).contains("colour").hasLineCount(1);
  }
}
