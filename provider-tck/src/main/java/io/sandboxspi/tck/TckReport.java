package io.sandboxspi.tck;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What a run of the kit found.
 *
 * @param provider the provider's name
 * @param facts versions, platform, options' names and capabilities
 * @param startedAt when it began
 * @param duration how long it took
 * @param tests every test in order of its name
 */
public record TckReport(
    String provider,
    Map<String, String> facts,
    Instant startedAt,
    Duration duration,
    List<Test> tests) {

  /** How a test or rule ended. */
  public enum Status {
    /** It holds. */
    PASSED,
    /** It does not. */
    FAILED,
    /** It was not checked. */
    SKIPPED
  }

  /**
   * A test.
   *
   * @param name the method, with the arguments where it has some
   * @param rules the rules it checks
   * @param scenarios the scenarios it replays
   * @param status how it ended
   * @param duration how long it took
   * @param violated rules that it found broken; all of its own where it does not say which
   * @param reason why it failed or was skipped
   */
  public record Test(
      String name,
      List<String> rules,
      List<String> scenarios,
      Status status,
      Duration duration,
      Set<String> violated,
      Optional<String> reason) {}

  /**
   * A rule.
   *
   * @param id its id
   * @param status FAILED if a test found it broken, PASSED if one checked it, else SKIPPED
   * @param passed tests that checked it and passed
   * @param failed tests that found it broken
   * @param skipped tests that did not run
   * @param reasons why it failed or was skipped
   */
  public record RuleResult(
      String id, Status status, int passed, int failed, int skipped, Set<String> reasons) {}

  /** Copies the collections. */
  public TckReport {
    facts = Map.copyOf(facts);
    tests = List.copyOf(tests);
  }

  /** Every rule that a test checks or found broken, by id. */
  public List<RuleResult> rules() {
    Set<String> ids = new TreeSet<>();
    tests.forEach(test -> ids.addAll(test.rules()));
    tests.forEach(test -> ids.addAll(test.violated()));
    return ids.stream().map(this::rule).toList();
  }

  private RuleResult rule(String id) {
    Map<Status, Integer> counts = new TreeMap<>();
    Set<String> reasons = new TreeSet<>();
    for (Test test : tests) {
      boolean broken = test.violated().contains(id);
      if (!broken && (test.status() == Status.FAILED || !test.rules().contains(id))) {
        continue;
      }
      counts.merge(broken ? Status.FAILED : test.status(), 1, Integer::sum);
      if (broken || test.status() == Status.SKIPPED) {
        reasons.add(test.name() + ": " + test.reason().orElse(""));
      }
    }
    int passed = counts.getOrDefault(Status.PASSED, 0);
    int failed = counts.getOrDefault(Status.FAILED, 0);
    int skipped = counts.getOrDefault(Status.SKIPPED, 0);
    Status status = failed > 0 ? Status.FAILED : passed > 0 ? Status.PASSED : Status.SKIPPED;
    return new RuleResult(id, status, passed, failed, skipped, reasons);
  }

  /** Rules found broken. */
  public Set<String> brokenRules() {
    Set<String> broken = new TreeSet<>();
    tests.forEach(test -> broken.addAll(test.violated()));
    return broken;
  }

  /** Tests that ended so. */
  public long count(Status status) {
    return tests.stream().filter(test -> test.status() == status).count();
  }

  /** Whether something was checked and nothing failed. */
  public boolean passed() {
    return count(Status.FAILED) == 0 && count(Status.PASSED) > 0;
  }

  /** Writes {@code report.json} and {@code report.md}; makes the directory. */
  public void writeTo(Path directory) throws IOException {
    ReportFiles.write(this, directory);
  }
}
