package io.sandboxspi.core.posix;

import io.sandboxspi.spi.LaunchId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Asks how launches are; the answers stay until {@link PosixKill} removes the records. */
public final class PosixStatus {
  private PosixStatus() {}

  /** The command to run in the sandbox, by {@link PosixState#argv} or a {@link ControlShell}. */
  public static String command(PosixState state, Collection<LaunchId> ids) {
    List<String> words = new ArrayList<>();
    words.add(state.directory());
    ids.forEach(id -> words.add(id.value()));
    return "sandbox_status " + ShellText.quote(words);
  }

  /**
   * Reads the answer.
   *
   * @return a report for each id that was answered for
   */
  public static Map<LaunchId, LaunchReport> parse(Collection<LaunchId> ids, String answer) {
    Map<String, LaunchReport> found = new LinkedHashMap<>();
    answer
        .substring(0, answer.lastIndexOf('\n') + 1)
        .lines()
        .forEach(
            line -> {
              int space = line.indexOf(' ');
              if (space > 0) {
                LaunchReport.parse(line.substring(space + 1))
                    .ifPresent(report -> found.put(line.substring(0, space), report));
              }
            });
    Map<LaunchId, LaunchReport> reports = new LinkedHashMap<>();
    for (LaunchId id : ids) {
      LaunchReport report = found.get(id.value());
      if (report != null) {
        reports.put(id, report);
      }
    }
    return reports;
  }
}
