package io.sandboxspi.tck;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sandboxspi.tck.plain.PlainProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The whole kit against an honest provider, as a program runs it, and its report. */
class HonestProviderTest {
  @Test
  @Timeout(600)
  void theKitFindsNothingAndSaysSo(@TempDir Path directory) throws Exception {
    List<String> told = new CopyOnWriteArrayList<>();
    TckProgress progress =
        new TckProgress() {
          @Override
          public void finished(TckReport.Test test) {
            told.add(test.name());
          }
        };
    TckReport report =
        TckRunner.of(
                TckEnvironment.of(new PlainProvider())
                    .timings(PlainProvider.TIMINGS)
                    .slack(Duration.ofSeconds(15))
                    .withoutDescriptorAudit())
            .parallel(4)
            .run(progress);
    assertThat(report.brokenRules()).as(failures(report)).isEmpty();
    assertThat(report.passed()).isTrue();
    assertThat(told).hasSameSizeAs(report.tests());
    assertThat(report.tests())
        .filteredOn(test -> test.status() == TckReport.Status.SKIPPED)
        .allSatisfy(test -> assertThat(test.reason().orElse("")).contains("capability"));

    report.writeTo(directory.resolve("new"));
    JsonNode json = new ObjectMapper().readTree(directory.resolve("new/report.json").toFile());
    assertThat(json.path("provider").asText()).isEqualTo("plain");
    assertThat(json.path("passed").asBoolean()).isTrue();
    assertThat(json.path("rules").size()).isGreaterThan(50);
    assertThat(json.path("tests").size()).isEqualTo(told.size());
    assertThat(json.path("facts").path("java.version").asText()).isNotEmpty();
    assertThat(Files.readString(directory.resolve("new/report.md")))
        .contains("**Passed.**", "| S-CLEAN-05 | PASSED |", "needs capability TTY");
  }

  private static String failures(TckReport report) {
    return report.tests().stream()
        .filter(test -> test.status() == TckReport.Status.FAILED)
        .map(test -> test.name() + ": " + test.reason().orElse(""))
        .collect(Collectors.joining("\n"));
  }
}
