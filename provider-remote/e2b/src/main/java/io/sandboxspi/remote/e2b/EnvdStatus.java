package io.sandboxspi.remote.e2b;

import com.fasterxml.jackson.databind.JsonNode;
import io.sandboxspi.ExitStatus;
import java.util.Map;
import java.util.Optional;

/** Reads how the daemon says that a process ended. */
final class EnvdStatus {
  // As the language of the daemon names them.
  private static final Map<String, Integer> SIGNALS =
      Map.ofEntries(
          Map.entry("hangup", 1),
          Map.entry("interrupt", 2),
          Map.entry("quit", 3),
          Map.entry("illegal instruction", 4),
          Map.entry("trace/breakpoint trap", 5),
          Map.entry("aborted", 6),
          Map.entry("bus error", 7),
          Map.entry("floating point exception", 8),
          Map.entry("killed", 9),
          Map.entry("user defined signal 1", 10),
          Map.entry("segmentation fault", 11),
          Map.entry("user defined signal 2", 12),
          Map.entry("broken pipe", 13),
          Map.entry("alarm clock", 14),
          Map.entry("terminated", 15));
  private static final String PREFIX = "signal: ";

  private EnvdStatus() {}

  /** Empty when it says nothing that is understood. A missing code is 0 on this wire. */
  static Optional<ExitStatus> read(JsonNode end) {
    String status = end.path("status").asText("");
    if (status.startsWith(PREFIX)) {
      String name = status.substring(PREFIX.length()).replaceFirst(" \\(core dumped\\)$", "");
      String number = name.replaceFirst("^signal ", "");
      int signal =
          number.matches("[0-9]{1,3}") ? Integer.parseInt(number) : SIGNALS.getOrDefault(name, 0);
      return signal >= 1 && signal <= 127
          ? Optional.of(new ExitStatus.Signalled(signal))
          : Optional.empty();
    }
    int code = end.path("exitCode").asInt(0);
    boolean said = end.path("exited").asBoolean(false) || end.has("exitCode");
    return said && code >= 0 && code <= 255
        ? Optional.of(new ExitStatus.Exited(code))
        : Optional.empty();
  }
}
