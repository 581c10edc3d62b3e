package io.sandboxspi.docker;

import io.sandboxspi.core.posix.PosixState;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.LaunchId;
import java.util.List;
import java.util.regex.Pattern;

/** The launches that are on record in a container, whoever made them. */
final class LaunchRecords {
  private static final Pattern ID = Pattern.compile("[a-z0-9-]{1,64}");
  private static final String SUFFIX = ".pid";

  private final PosixState state;
  private final ControlLink control;

  LaunchRecords(PosixState state, ControlLink control) {
    this.state = state;
    this.control = control;
  }

  /** Their ids; spares that wait are among them. */
  List<LaunchId> ids(Deadline deadline) throws InterruptedException {
    String command =
        "for sk_f in "
            + state.directory()
            + "/*"
            + SUFFIX
            + "; do [ ! -e \"$sk_f\" ] || echo \"${sk_f##*/}\"; done";
    String answer = control.ask(command, deadline).text();
    return answer
        .lines()
        .map(name -> name.endsWith(SUFFIX) ? name.substring(0, name.length() - 4) : "")
        .filter(name -> ID.matcher(name).matches())
        .map(LaunchId::new)
        .toList();
  }
}
