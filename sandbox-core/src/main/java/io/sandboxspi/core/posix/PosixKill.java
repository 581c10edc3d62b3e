package io.sandboxspi.core.posix;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.spi.LaunchId;
import io.sandboxspi.spi.TerminationOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Ends any number of launches in one ordered run (spec S-SPI-03, S-SPI-04, S-CLEAN-09, S-CLEAN-10,
 * S-POSIX-06 to S-POSIX-09): forbids a start, reads the records, kills sessions and groups, also
 * those without their leader, then descendants and everything with the cookie in its environment,
 * looks again until nothing is left, removes the records, and answers for each launch.
 *
 * <p>It kills by number only after the start time of the recorded leader was found right or nothing
 * speaks against its group, never by command line, and never its own shell. Not found: a process
 * that left session, group and parents, and its environment too. Without {@code /proc} only groups
 * are killed, and nothing is proven.
 *
 * <p>The sandbox needs {@code cat}, {@code head}, {@code tr}, {@code sed}, {@code sleep} and {@code
 * rm}.
 */
public final class PosixKill {
  private static final Pattern LINE =
      Pattern.compile(
          "(?<id>[a-z0-9-]{1,64}) (?:(?<proven>CONFIRMED|GONE)(?: (?<end>(?:exit|signal) \\d{1,3}))?"
              + "|ALIVE(?<pids>(?: \\d{1,10})+)|UNPROVEN (?<why>[a-z]{1,20}))");

  private PosixKill() {}

  /**
   * The command to run in the sandbox, by {@link PosixState#argv} or a {@link ControlShell}.
   *
   * @param limit after which living processes are reported as such; give the transport a little
   *     more
   */
  public static String command(PosixState state, Collection<LaunchId> ids, Duration limit) {
    List<String> words = new ArrayList<>();
    words.add(state.directory());
    words.add(String.valueOf(Math.max(0, Math.min(limit.toMillis(), 86_400_000L))));
    ids.forEach(id -> words.add(id.value()));
    return "sandbox_kill " + ShellText.quote(words);
  }

  /**
   * Reads the answer. Only a whole and well-formed line proves anything; an id without one, or with
   * two that differ, is unconfirmed.
   *
   * @return an outcome for each id
   */
  public static Map<LaunchId, TerminationOutcome> parse(Collection<LaunchId> ids, String answer) {
    Map<String, String> lines = new LinkedHashMap<>();
    Set<String> doubtful = new HashSet<>();
    String whole = answer.substring(0, answer.lastIndexOf('\n') + 1);
    whole
        .lines()
        .forEach(
            line -> {
              Matcher matcher = LINE.matcher(line);
              if (matcher.matches()) {
                String earlier = lines.put(matcher.group("id"), line);
                if (earlier != null && !earlier.equals(line)) {
                  doubtful.add(matcher.group("id"));
                }
              }
            });
    Map<LaunchId, TerminationOutcome> outcomes = new LinkedHashMap<>();
    for (LaunchId id : ids) {
      String line = doubtful.contains(id.value()) ? "" : lines.getOrDefault(id.value(), "");
      outcomes.put(id, outcome(id, LINE.matcher(line)));
    }
    return outcomes;
  }

  /**
   * Reads how programs had ended by themselves before or while they were killed; the records of it
   * are gone after the kill. A supervised launch whose end is confirmed, and that is not here, was
   * killed with its supervisor.
   *
   * @return a report for each launch with a record
   */
  public static Map<LaunchId, LaunchReport.Ended> ends(Collection<LaunchId> ids, String answer) {
    Map<LaunchId, LaunchReport.Ended> ends = new LinkedHashMap<>();
    answer
        .substring(0, answer.lastIndexOf('\n') + 1)
        .lines()
        .map(LINE::matcher)
        .filter(matcher -> matcher.matches() && matcher.group("end") != null)
        .forEach(
            matcher -> {
              LaunchId id = new LaunchId(matcher.group("id"));
              if (ids.contains(id)
                  && LaunchReport.parse(matcher.group("end")).orElse(null)
                      instanceof LaunchReport.Ended ended) {
                ends.put(id, ended);
              }
            });
    return ends;
  }

  private static TerminationOutcome outcome(LaunchId id, Matcher line) {
    if (!line.matches()) {
      return unconfirmed(id, "the sandbox gave no answer for it", "");
    }
    if (line.group("proven") != null) {
      return line.group("proven").equals("GONE")
          ? TerminationOutcome.alreadyGone()
          : TerminationOutcome.confirmed();
    }
    if (line.group("pids") != null) {
      return unconfirmed(id, "processes live on", line.group("pids").strip());
    }
    return unconfirmed(
        id,
        switch (line.group("why")) {
          case "proc" -> "the sandbox has no /proc, only its group was killed";
          case "tombstone" -> "the state directory cannot be written";
          default -> "the sandbox could not be searched in time";
        },
        "");
  }

  private static TerminationOutcome unconfirmed(LaunchId id, String why, String pids) {
    SandboxException.Builder cause =
        SandboxException.builder(
                ErrorCode.TERMINATION_UNCONFIRMED,
                Operation.PTY_TERMINATE,
                "end of " + id + ": " + why)
            .retryable(Retryable.YES)
            .context("launch", id);
    return TerminationOutcome.unconfirmed(
        (pids.isEmpty() ? cause : cause.context("pids", pids)).build());
  }
}
