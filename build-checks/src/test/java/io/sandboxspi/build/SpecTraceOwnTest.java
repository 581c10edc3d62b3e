package io.sandboxspi.build;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The trace is itself tested, against small fixtures. */
class SpecTraceOwnTest {
  private static final Set<String> TAGS = Set.of("TCK", "CORE");

  private static final TestedRules TESTS =
      TestedRules.of(
          new ClassFileImporter()
              .importClasses(
                  SpecTraceFixture.ByMethod.class,
                  SpecTraceFixture.ByClass.class,
                  SpecTraceFixture.ByClass.Inner.class));

  private static final TestedRules NONE =
      TestedRules.of(new ClassFileImporter().importClasses(List.of()));

  @Test
  void rulesAreReadFromMethodsAndClasses() {
    assertThat(TESTS.tests().keySet())
        .containsExactly("S-FIX-01", "S-FIX-02", "S-FIX-03", "S-FIX-04", "S-FIX-05");
    assertThat(TESTS.tests().get("S-FIX-05")).containsExactly("ByClass.five", "Inner.six");
    assertThat(TESTS.withoutRule()).containsExactly("ByMethod.bare");
  }

  @Test
  void rowsOfTablesAreRead() {
    SpecRules spec =
        SpecRules.parse(
            """
            | Rule | Tags | Text |
            |---|---|---|
            | S-FIX-01 | TCK | one |
            | **`S-FIX-02`** | `TCK`, CORE | two |
            S-FIX-09 in prose is no row.
            """,
            TAGS);

    assertThat(spec.tags())
        .isEqualTo(Map.of("S-FIX-01", Set.of("TCK"), "S-FIX-02", Set.of("CORE", "TCK")));
    assertThat(spec.problems()).isEmpty();
  }

  @Test
  void malformedRowsAreNamed() {
    SpecRules spec =
        SpecRules.parse(
            """
            | S-FIX-01 | TKC | one |
            | S-FIX-02 | TCK | two |
            | S-FIX-02 | TCK | two |
            """,
            TAGS);

    assertThat(spec.problems())
        .hasSize(3)
        .anyMatch(problem -> problem.startsWith("S-FIX-01 has the unknown tag TKC"))
        .contains("S-FIX-01 has no tag that says where it is tested", "S-FIX-02 is listed twice");
  }

  @Test
  void rulesAndTestsMustMatchBothWays() {
    SpecRules spec =
        SpecRules.parse(
            """
            | S-FIX-01 | TCK | |
            | S-FIX-02 | TCK, CORE | |
            | S-FIX-03 | CORE | |
            | S-FIX-04 | TCK | |
            | S-FIX-06 | TCK | |
            """,
            TAGS);

    SpecTrace trace = SpecTrace.of(spec, Map.of("TCK", TESTS, "CORE", NONE));

    assertThat(trace.untested())
        .containsExactly(
            "S-FIX-02 has no test in CORE",
            "S-FIX-03 has no test in CORE",
            "S-FIX-06 has no test in TCK");
    assertThat(trace.wrong())
        .containsExactlyInAnyOrder(
            "[ByMethod.two]: S-FIX-03 is not tagged TCK",
            "[ByClass.five, Inner.six] in TCK name the unknown rule S-FIX-05");
  }
}
