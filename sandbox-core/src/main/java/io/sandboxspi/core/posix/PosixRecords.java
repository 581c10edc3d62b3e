package io.sandboxspi.core.posix;

import io.sandboxspi.spi.LaunchId;
import java.util.List;
import java.util.regex.Pattern;

/** Asks which launches are on record in a sandbox, whoever made them. */
public final class PosixRecords {
  private static final Pattern ID = Pattern.compile("[a-z0-9-]{1,64}");
  private static final String SUFFIX = ".pid";

  private PosixRecords() {}

  /** The command to run in the sandbox, by {@link PosixState#argv} or a {@link ControlShell}. */
  public static String command(PosixState state) {
    return "for sk_f in "
        + ShellText.quote(state.directory())
        + "/*"
        + SUFFIX
        + "; do [ ! -e \"$sk_f\" ] || echo \"${sk_f##*/}\"; done";
  }

  /** Reads the answer: their ids; spares that wait are among them. */
  public static List<LaunchId> parse(String answer) {
    return answer
        .lines()
        .filter(name -> name.endsWith(SUFFIX))
        .map(name -> name.substring(0, name.length() - SUFFIX.length()))
        .filter(name -> ID.matcher(name).matches())
        .map(LaunchId::new)
        .toList();
  }
}
