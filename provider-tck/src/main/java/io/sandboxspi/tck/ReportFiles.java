package io.sandboxspi.tck;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Writes a report as JSON for programs and as Markdown for people. */
final class ReportFiles {
  private ReportFiles() {}

  static void write(TckReport report, Path directory) throws IOException {
    Files.createDirectories(directory);
    ObjectMapper mapper = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
    Files.writeString(
        directory.resolve("report.json"), mapper.writeValueAsString(json(report)) + "\n");
    Files.writeString(directory.resolve("report.md"), markdown(report));
  }

  private static Map<String, Object> json(TckReport report) {
    Map<String, Object> root = new LinkedHashMap<>();
    root.put("provider", report.provider());
    root.put("startedAt", report.startedAt().toString());
    root.put("seconds", report.duration().toMillis() / 1000.0);
    root.put("passed", report.passed());
    root.put("facts", new TreeMap<>(report.facts()));
    List<Map<String, Object>> rules = new ArrayList<>();
    for (TckReport.RuleResult rule : report.rules()) {
      Map<String, Object> entry = new LinkedHashMap<>();
      entry.put("id", rule.id());
      entry.put("status", rule.status().name());
      entry.put("passed", rule.passed());
      entry.put("failed", rule.failed());
      entry.put("skipped", rule.skipped());
      entry.put("reasons", rule.reasons());
      rules.add(entry);
    }
    root.put("rules", rules);
    List<Map<String, Object>> tests = new ArrayList<>();
    for (TckReport.Test test : report.tests()) {
      Map<String, Object> entry = new LinkedHashMap<>();
      entry.put("name", test.name());
      entry.put("rules", test.rules());
      entry.put("scenarios", test.scenarios());
      entry.put("status", test.status().name());
      entry.put("millis", test.duration().toMillis());
      entry.put("violated", test.violated());
      entry.put("reason", test.reason().orElse(""));
      tests.add(entry);
    }
    root.put("tests", tests);
    return root;
  }

  private static String markdown(TckReport report) {
    StringBuilder text = new StringBuilder();
    text.append("# Conformance of provider `").append(report.provider()).append("`\n\n");
    text.append(report.passed() ? "**Passed.** " : "**Failed.** ");
    text.append(report.count(TckReport.Status.PASSED)).append(" tests passed, ");
    text.append(report.count(TckReport.Status.FAILED)).append(" failed, ");
    text.append(report.count(TckReport.Status.SKIPPED)).append(" skipped, in ");
    text.append(report.duration().toSeconds()).append(" s.\n\n| Fact | |\n|---|---|\n");
    new TreeMap<>(report.facts()).forEach((key, value) -> row(text, key, value));
    row(text, "started", report.startedAt().toString());
    text.append("\n## Rules\n\n| Rule | Status | Passed | Failed | Skipped | Why |\n");
    text.append("|---|---|---|---|---|---|\n");
    for (TckReport.RuleResult rule : report.rules()) {
      row(
          text,
          rule.id(),
          rule.status().name(),
          "" + rule.passed(),
          "" + rule.failed(),
          "" + rule.skipped(),
          String.join("; ", rule.reasons()));
    }
    text.append(
        "\n## Tests\n\n| Test | Scenarios | Status | Time | Why |\n|---|---|---|---|---|\n");
    for (TckReport.Test test : report.tests()) {
      row(
          text,
          test.name(),
          String.join(" ", test.scenarios()),
          test.status().name(),
          test.duration().toMillis() + " ms",
          test.reason().orElse(""));
    }
    return text.toString();
  }

  private static void row(StringBuilder text, String... cells) {
    text.append('|');
    for (String cell : cells) {
      String line = cell.replace("|", "\\|").replaceAll("\\s+", " ");
      text.append(' ').append(line.length() > 300 ? line.substring(0, 300) + "…" : line);
      text.append(" |");
    }
    text.append('\n');
  }
}
