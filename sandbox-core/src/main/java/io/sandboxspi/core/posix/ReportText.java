package io.sandboxspi.core.posix;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExitStatus;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The text form of a {@link LaunchReport}. */
final class ReportText {
  private static final Pattern FORM =
      Pattern.compile(
          "(?:STARTED|running) (?<pid>\\d{1,10})"
              + "|(?:EXIT )?exit (?<exit>\\d{1,3})"
              + "|(?:EXIT )?signal (?<signal>\\d{1,3})"
              + "|(?:ERROR|error) (?<code>COMMAND_NOT_FOUND|COMMAND_NOT_EXECUTABLE"
              + "|WORKING_DIRECTORY_NOT_FOUND|USER_NOT_FOUND|UNSUPPORTED|LAUNCH_FAILED) (?<what>[a-z ]{1,40})"
              + "|WAITING|waiting|REFUSED|ended|unknown");

  private ReportText() {}

  static Optional<LaunchReport> parse(String text) {
    Matcher matcher = FORM.matcher(text);
    return matcher.matches() ? read(matcher) : Optional.empty();
  }

  private static Optional<LaunchReport> read(Matcher matcher) {
    if (matcher.group("pid") != null) {
      return Optional.of(new LaunchReport.Started(Long.parseLong(matcher.group("pid"))));
    }
    if (matcher.group("exit") != null) {
      int code = Integer.parseInt(matcher.group("exit"));
      return code <= 255 ? ended(new ExitStatus.Exited(code)) : Optional.empty();
    }
    if (matcher.group("signal") != null) {
      int signal = Integer.parseInt(matcher.group("signal"));
      return signal >= 1 && signal <= 127
          ? ended(new ExitStatus.Signalled(signal))
          : Optional.empty();
    }
    if (matcher.group("code") != null) {
      ErrorCode code = ErrorCode.valueOf(matcher.group("code"));
      return Optional.of(new LaunchReport.Failed(code, matcher.group("what")));
    }
    return Optional.of(
        switch (matcher.group()) {
          case "WAITING", "waiting" -> LaunchReport.Waiting.INSTANCE;
          case "REFUSED" -> LaunchReport.Refused.INSTANCE;
          case "ended" -> LaunchReport.EndedUnseen.INSTANCE;
          default -> LaunchReport.Unknown.INSTANCE;
        });
  }

  private static Optional<LaunchReport> ended(ExitStatus status) {
    return Optional.of(new LaunchReport.Ended(status));
  }
}
