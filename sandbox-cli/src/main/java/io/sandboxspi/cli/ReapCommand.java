package io.sandboxspi.cli;

import io.sandboxspi.SandboxException;
import io.sandboxspi.cli.log.LogLevel;
import io.sandboxspi.core.Sandboxes;
import io.sandboxspi.core.reap.Reaper;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.OptionSpec;

/** {@code sandbox reap}: removes sandboxes whose owner has gone (spec S-CLI-10). */
final class ReapCommand extends CliCommand {
  ReapCommand() {
    super(
        "reap",
        "Removes sandboxes that were left: those whose process has gone, and kept ones.",
        "",
        "It exits 1 when one could not be removed.");
    SandboxCliCommand.declareProvider(this);
    option(
        OptionSpec.builder("--older-than")
            .type(Duration.class)
            .converters(new Durations())
            .paramLabel("DURATION")
            .description("Only those that were made so long ago: 30s, 2m, 1h."));
    flag("--unproven", "Those too of which nobody here can tell whether they are in use.");
    flag("--dry-run", "Names them and removes nothing.");
  }

  @Override
  public Integer call() throws InterruptedException {
    Reaper reaper =
        Reaper.of(Sandboxes.provider(SandboxCliCommand.provider(this)))
            .options(SandboxCliCommand.sandbox(this).options())
            .olderThan(this.<Duration>value("--older-than").orElse(Duration.ZERO));
    reaper = has("--unproven") ? reaper.unproven() : reaper;
    reaper = has("--dry-run") ? reaper.dryRun() : reaper;
    Map<Reaper.Fate, Integer> counts = new TreeMap<>();
    for (Reaper.Result result : reaper.run()) {
      counts.merge(result.fate(), 1, Integer::sum);
      tell(result);
    }
    out().println(counts.isEmpty() ? "no sandboxes" : summary(counts));
    out().flush();
    return counts.containsKey(Reaper.Fate.FAILED) ? ExitCodes.FAILED : ExitCodes.OK;
  }

  private void tell(Reaper.Result result) {
    if (List.of(Reaper.Fate.REMOVED, Reaper.Fate.ORPHAN, Reaper.Fate.FAILED)
        .contains(result.fate())) {
      out()
          .printf(
              Locale.ROOT,
              "%-7s %s, made %s, %s%s%n",
              word(result.fate()),
              result.backend().sessionId(),
              result.backend().created(),
              OpenSandbox.name(result.backend().ref().data()),
              result.failure().map(ReapCommand::reason).orElse(""));
    }
  }

  private static String reason(SandboxException failure) {
    return LogLevel.oneLine(": " + failure.getMessage());
  }

  private static String summary(Map<Reaper.Fate, Integer> counts) {
    return counts.entrySet().stream()
        .map(entry -> entry.getValue() + " " + word(entry.getKey()))
        .collect(Collectors.joining(", "));
  }

  private static String word(Reaper.Fate fate) {
    return fate.name().toLowerCase(Locale.ROOT);
  }
}
