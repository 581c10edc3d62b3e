package io.sandboxspi.remote.relay;

import io.sandboxspi.core.posix.ShellText;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** Text for the shell of a terminal that becomes a program. */
public final class ProgramText {
  /**
   * The supervisor leads the terminal's session, and the vendor drops what is on its way when that
   * one ends: so it waits for a line with the word, ten seconds at most.
   */
  private static final String LINGER =
      "PATH=/usr/local/bin:/usr/bin:/bin:$PATH"
          + " && stty -icanon -isig -echo icrnl min 0 time 100 2>/dev/null"
          + " && printf '\\035%s END\\035' WORD"
          + " && while read -r __d_n && [ \"$__d_n\" != WORD ]; do :; done";

  private ProgramText() {}

  /** Exports variables, and takes the shell's place. */
  public static String of(Map<String, String> environment, List<String> argv) {
    StringBuilder text = new StringBuilder();
    List<String> odd = new ArrayList<>();
    new TreeMap<>(environment)
        .forEach(
            (name, value) -> {
              if (name.matches("[A-Za-z_][A-Za-z0-9_]*")) {
                text.append("export ")
                    .append(name)
                    .append('=')
                    .append(ShellText.quote(value))
                    .append('\n');
              } else {
                odd.add(name + "=" + value);
              }
            });
    text.append("exec ");
    if (!odd.isEmpty()) {
      // No shell can export such a name.
      text.append("env ").append(ShellText.quote(odd)).append(' ');
    }
    return text.append(ShellText.quote(argv)).append('\n').toString();
  }

  /**
   * The same arguments, where they are a supervisor's: it waits at its end for the word.
   *
   * @param word of letters, digits and dashes
   */
  public static List<String> lingering(List<String> argv, String word) {
    List<String> changed = new ArrayList<>(argv);
    if (argv.size() > 2 && argv.get(1).equals("-c")) {
      String trap = ShellText.quote(LINGER.replace("WORD", word));
      changed.set(2, "trap " + trap + " EXIT\n" + argv.get(2));
    }
    return changed;
  }

  /** A text of ASCII beside a class. */
  public static String resource(Class<?> beside, String name) {
    try (InputStream in = Objects.requireNonNull(beside.getResourceAsStream(name), name)) {
      return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
