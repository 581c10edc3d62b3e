package io.sandboxspi.tck.saboteur;

import static org.assertj.core.api.Assertions.assertThat;

import io.sandboxspi.tck.Rule;
import io.sandboxspi.tck.TckProgress;
import io.sandboxspi.tck.TckReport;
import io.sandboxspi.tck.TckRunner;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A kit that cannot fail says nothing: each saboteur breaks its rules and no others. {@code
 * -Dsaboteurs=PATTERN} runs some by their names.
 */
class SaboteursTest {
  static Stream<Saboteur> saboteurs() {
    String names = System.getProperty("saboteurs", ".*");
    return Saboteurs.all().filter(saboteur -> saboteur.name().matches(names));
  }

  @ParameterizedTest
  @Execution(ExecutionMode.CONCURRENT)
  @MethodSource("saboteurs")
  @Rule("S-TCK-02")
  void eachBreaksItsRulesAndNoOthers(Saboteur saboteur) {
    TckReport report =
        TckRunner.of(saboteur.environment())
            .only(method -> method.matches(saboteur.tests()))
            .parallel(4)
            .run(TckProgress.SILENT);
    assertThat(report.brokenRules()).as(failures(report)).isEqualTo(saboteur.breaks());
    assertThat(report.count(TckReport.Status.PASSED)).as("tests that pass").isPositive();
  }

  private static String failures(TckReport report) {
    return report.tests().stream()
        .filter(test -> test.status() == TckReport.Status.FAILED)
        .map(test -> test.name() + ": " + test.reason().orElse(""))
        .collect(Collectors.joining("\n"));
  }
}
