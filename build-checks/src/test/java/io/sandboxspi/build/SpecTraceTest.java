package io.sandboxspi.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Every rule of {@code docs/spec.md} has a test where its tags say, and every test's rule exists.
 */
class SpecTraceTest {
  /** Where the tests of a tag are. */
  private static final Map<String, List<Path>> HOMES =
      Map.of(
          "TCK", List.of(Repo.mainClasses("provider-tck")),
          "API", List.of(Repo.testClasses("sandbox-api")),
          "CORE", List.of(Repo.testClasses("sandbox-core")),
          "KIT", List.of(Repo.testClasses("provider-tck")),
          "LOCAL", List.of(Repo.testClasses("provider-local")),
          "DOCKER", List.of(Repo.testClasses("provider-docker")),
          "CLI", List.of(Repo.testClasses("sandbox-cli")));

  static final Set<String> TAGS = HOMES.keySet();

  @Test
  void theSpecificationAndTheTestsNameTheSameRules() throws IOException {
    Map<String, TestedRules> tests = new TreeMap<>();
    HOMES.forEach((tag, paths) -> tests.put(tag, TestedRules.of(Classes.in(paths))));
    String markdown = Files.readString(Repo.root().resolve("docs/spec.md"));

    SpecRules spec = SpecRules.parse(markdown, TAGS);
    SpecTrace trace = SpecTrace.of(spec, tests);

    assertThat(spec.tags()).as("rules in docs/spec.md").isNotEmpty();
    assertThat(trace.wrong()).as("docs/spec.md and the tests disagree").isEmpty();
    assertThat(tests.get("TCK").withoutRule()).as("TCK tests without a rule").isEmpty();
    if (Boolean.getBoolean("spec.strict")) {
      assertThat(trace.untested()).as("rules without a test").isEmpty();
    }
  }
}
