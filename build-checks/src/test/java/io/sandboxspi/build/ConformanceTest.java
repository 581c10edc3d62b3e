package io.sandboxspi.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.sandboxspi.Capability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/**
 * {@code docs/conformance.md} says what the kit found in this build. A provider whose kit did not
 * run as a whole is not compared, unless {@code -Dconformance.complete} asks for all.
 */
class ConformanceTest {
  private static final List<Column> COLUMNS =
      List.of(
          new Column("local", "provider-local", "Linux"),
          new Column("docker", "provider-docker", "BusyboxRoot"),
          new Column("e2b", "provider-remote/e2b", "E2b"),
          new Column("daytona", "provider-remote/daytona", "Daytona"),
          new Column("blaxel", "provider-remote/blaxel", "Blaxel"),
          new Column("cloudflare", "provider-remote/cloudflare", "Cloudflare"),
          new Column("modal", "provider-remote/modal", "Modal"));

  private static final String HEAD =
      """
      # Conformance

      What the conformance kit finds for each provider in CI: Docker in a busybox image as root, the remote providers through their fakes.
      Written by `mvn verify -Dconformance.update`; a test fails when it is not what the kit finds.

      """;

  private record Column(String provider, String module, String kit) {}

  @Test
  void theTableSaysWhatTheKitFound() throws IOException {
    assumeThat(System.getProperty("os.name")).isEqualTo("Linux");
    Path file = Repo.root().resolve("docs/conformance.md");
    Map<String, Set<String>> tests = tests();
    Map<String, Optional<KitResults>> results = new LinkedHashMap<>();
    for (Column column : COLUMNS) {
      KitResults found = KitResults.read(column.module(), column.kit(), tests);
      results.put(column.provider(), Optional.of(found).filter(each -> each.complete()));
    }
    if (System.getProperty("conformance.complete") != null) {
      assertThat(results)
          .as("providers whose kit ran as a whole")
          .doesNotContainValue(Optional.empty());
    }
    String recorded = Files.exists(file) ? Files.readString(file) : "";
    String current = HEAD + table(tests.keySet(), results, Recorded.of(recorded));
    if (System.getProperty("conformance.update") != null) {
      Files.writeString(file, current);
      return;
    }
    List<String> diff = LineDiff.between(recorded, current);
    if (!diff.isEmpty()) {
      fail(
          "docs/conformance.md is not what the kit found:%n%s%nmvn verify -Dconformance.update writes it",
          String.join(System.lineSeparator(), diff));
    }
  }

  /** The methods of the kit that test each rule. */
  private static Map<String, Set<String>> tests() {
    Map<String, Set<String>> tests = new TreeMap<>();
    TestedRules.of(Classes.in(List.of(Repo.mainClasses("provider-tck"))))
        .tests()
        .forEach(
            (rule, names) -> {
              Set<String> methods = new TreeSet<>();
              names.forEach(name -> methods.add(name.substring(name.indexOf('.') + 1)));
              tests.put(rule, methods);
            });
    return tests;
  }

  /** The cells of the file, by row and provider. */
  private record Recorded(Map<String, Map<String, String>> rows) {
    static Recorded of(String text) {
      Map<String, Map<String, String>> rows = new LinkedHashMap<>();
      List<String> head = List.of();
      for (String line : text.lines().toList()) {
        if (!line.startsWith("|")) {
          head = List.of();
          continue;
        }
        List<String> cells = List.of(line.substring(2, line.length() - 2).split(" \\| ", -1));
        if (head.isEmpty()) {
          head = cells;
        } else if (cells.size() == head.size()) {
          Map<String, String> row = new LinkedHashMap<>();
          for (int i = 1; i < cells.size(); i++) {
            row.put(head.get(i), cells.get(i));
          }
          rows.put(cells.get(0), row);
        }
      }
      return new Recorded(rows);
    }

    String cell(String row, String provider) {
      return rows.getOrDefault(row, Map.of()).getOrDefault(provider, "not run");
    }
  }

  private static String table(
      Set<String> rules, Map<String, Optional<KitResults>> results, Recorded recorded) {
    StringBuilder text = new StringBuilder("## Capabilities\n\n");
    head(text, "capability");
    for (Capability capability : Capability.values()) {
      String name = '`' + capability.name() + '`';
      row(
          text,
          name,
          results,
          recorded,
          found -> found.declared().contains(capability.ordinal()) ? "yes" : "no");
    }
    text.append("\n## Rules\n\nThe rules are those of [spec.md](spec.md) that the kit checks.\n\n");
    head(text, "rule");
    for (String rule : rules) {
      row(text, rule, results, recorded, found -> found.cell(rule));
    }
    return text.toString();
  }

  private static void head(StringBuilder text, String first) {
    List<String> names = new ArrayList<>(List.of(first));
    COLUMNS.forEach(column -> names.add(column.provider()));
    text.append("| ").append(String.join(" | ", names)).append(" |\n");
    text.append("|---".repeat(names.size())).append("|\n");
  }

  private static void row(
      StringBuilder text,
      String name,
      Map<String, Optional<KitResults>> results,
      Recorded recorded,
      Function<KitResults, String> cell) {
    text.append("| ").append(name);
    results.forEach(
        (provider, found) ->
            text.append(" | ")
                .append(found.map(cell).orElseGet(() -> recorded.cell(name, provider))));
    text.append(" |\n");
  }
}
