package io.sandboxspi.cli;

import io.sandboxspi.SandboxSpec;
import io.sandboxspi.cli.log.LogLevel;
import io.sandboxspi.core.Sandboxes;
import io.sandboxspi.fake.FakeVendor;
import io.sandboxspi.spi.SandboxProvider;
import io.sandboxspi.tck.Rule;
import io.sandboxspi.tck.SandboxProviderTck;
import io.sandboxspi.tck.TckEnvironment;
import io.sandboxspi.tck.TckProgress;
import io.sandboxspi.tck.TckReport;
import io.sandboxspi.tck.TckRunner;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;

/** {@code sandbox tck}: the conformance kit against a provider (spec S-CLI-05). */
final class TckCommand extends CliCommand {
  /** Its tests wait more than they work. */
  private static final int BESIDE_A_FAKE = 4;

  TckCommand() {
    super(
        "tck",
        "Checks a provider against the rules; exits 1 when one fails.",
        "",
        "It counts descriptors, threads and processes: leave the machine alone meanwhile.");
    SandboxCliCommand.declareProvider(this);
    SandboxCliCommand.declareSandbox(this);
    text("--report", "DIRECTORY", "Writes report.json and report.md there.");
    flag("--fake", "Runs against a server on this machine that behaves as the vendor's.");
    texts("--rule", "ID", "Checks this rule only, for instance S-EXEC-04; repeatable.");
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    LogLevel.hideWarnings();
    Set<String> methods = methods(values("--rule"));
    if (!has("--fake")) {
      return check(methods, UnaryOperator.identity(), 1);
    }
    try (FakeVendor.Service fake = Fakes.start(SandboxCliCommand.provider(this))) {
      fake.settings().forEach(System::setProperty);
      // The fake's descriptors are of this JVM too.
      return check(methods, TckEnvironment::far, BESIDE_A_FAKE);
    }
  }

  private Integer check(Set<String> methods, UnaryOperator<TckEnvironment> changed, int parallelism)
      throws IOException, InterruptedException {
    SandboxProvider provider = Sandboxes.provider(SandboxCliCommand.provider(this));
    SandboxSpec spec = SandboxCliCommand.sandbox(this);
    // One that cannot be opened at all is a failure of this command, not of every rule
    Sandboxes.open(provider, spec).close();
    TckReport report =
        TckRunner.of(changed.apply(TckEnvironment.of(provider).options(spec.options())))
            .only(methods::contains)
            .parallel(parallelism)
            .run(progress());
    summarise(report);
    if (has("--report")) {
      Path directory = Path.of(this.<String>value("--report").orElseThrow());
      report.writeTo(directory);
      out().println("report: " + directory.resolve("report.md"));
    }
    return report.passed() ? ExitCodes.OK : ExitCodes.FAILED;
  }

  private static Set<String> methods(List<String> rules) {
    Map<String, Set<String>> byRule = new TreeMap<>();
    Set<String> all = new HashSet<>();
    for (Method method : SandboxProviderTck.class.getMethods()) {
      Rule rule = method.getAnnotation(Rule.class);
      if (rule != null) {
        all.add(method.getName());
        for (String id : rule.value()) {
          byRule.computeIfAbsent(id, key -> new HashSet<>()).add(method.getName());
        }
      }
    }
    if (rules.isEmpty()) {
      return all;
    }
    Set<String> chosen = new HashSet<>();
    for (String id : rules) {
      Set<String> methods = byRule.get(id);
      if (methods == null) {
        throw CliFailure.usage(
            "Invalid value for option '--rule': '"
                + id
                + "'; allowed: "
                + String.join(", ", byRule.keySet()));
      }
      chosen.addAll(methods);
    }
    return chosen;
  }

  private TckProgress progress() {
    return new TckProgress() {
      @Override
      public void finished(TckReport.Test test) {
        out()
            .printf(
                Locale.ROOT,
                "%-7s %6.1f s  %s%s%n",
                test.status(),
                test.duration().toMillis() / 1000.0,
                test.name(),
                test.reason().map(reason -> ": " + firstLine(reason)).orElse(""));
        out().flush();
      }
    };
  }

  private static String firstLine(String text) {
    return text.lines().findFirst().orElse("");
  }

  private void summarise(TckReport report) {
    Map<TckReport.Status, Set<String>> rules = new TreeMap<>();
    Arrays.stream(TckReport.Status.values()).forEach(each -> rules.put(each, new TreeSet<>()));
    report
        .rules()
        .forEach(rule -> rules.getOrDefault(rule.status(), new TreeSet<>()).add(rule.id()));
    out()
        .printf(
            Locale.ROOT,
            "%s: %d tests passed, %d failed, %d skipped in %d s%n",
            report.passed() ? "passed" : "FAILED",
            report.count(TckReport.Status.PASSED),
            report.count(TckReport.Status.FAILED),
            report.count(TckReport.Status.SKIPPED),
            report.duration().toSeconds());
    rules.forEach(
        (status, ids) -> {
          if (!ids.isEmpty()) {
            out()
                .println(
                    "rules "
                        + status.name().toLowerCase(Locale.ROOT)
                        + ": "
                        + String.join(" ", ids));
          }
        });
    out().flush();
  }
}
