package io.sandboxspi.cli;

import io.sandboxspi.cli.log.LogLevel;
import java.time.Duration;
import java.util.Locale;

/** {@code sandbox demo}: a short tour that checks itself (spec S-CLI-04). */
final class DemoCommand extends CliCommand {
  private static final String ROW = "%-3s  %-39s  %-28s  %-28s  %6s%n";

  private boolean allSeen = true;

  DemoCommand() {
    super("demo", "Shows the local provider at work, a stalled cleanup included.");
  }

  @Override
  public Integer call() throws Exception {
    LogLevel.hideWarnings();
    row("", "step", "expected", "seen", "time");
    try (ShutdownGuard guard = ShutdownGuard.open()) {
      new DemoTour(this::tell).run();
    }
    out().println(allSeen ? "all as expected" : "something else was seen");
    return allSeen ? ExitCodes.OK : ExitCodes.FAILED;
  }

  private void tell(DemoTour.Step step) {
    allSeen &= step.asExpected();
    row(
        step.asExpected() ? "ok" : "BAD",
        step.name(),
        step.expected(),
        step.seen(),
        seconds(step.took()));
  }

  private void row(String verdict, String name, String expected, String seen, String time) {
    out().printf(ROW, verdict, name, expected, LogLevel.oneLine(seen), time);
    out().flush();
  }

  private static String seconds(Duration took) {
    return String.format(Locale.ROOT, "%.2f s", took.toMillis() / 1000.0);
  }
}
