package io.sandboxspi.remote.relay;

import io.sandboxspi.core.posix.ShellText;
import io.sandboxspi.remote.shell.Machine;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * What is typed into the vendor's interactive shell, and the variables that carry the rest: a line
 * may be as long as a terminal takes, a variable longer. Immutable.
 *
 * @param line the line, with its newline
 * @param variables of the terminal's shell
 */
record RelayText(String line, Map<String, String> variables) {
  private static final String RELAY = resource("relay.sh");
  private static final String VARIABLE = "SANDBOX_START";

  // A kernel takes 128 KiB in one variable.
  private static final int PIECE = 24 * 1024;

  /**
   * The supervisor leads the terminal's session, and the vendor drops what is on its way when that
   * one ends: so it waits for a line with the word, ten seconds at most.
   */
  private static final String LINGER =
      "PATH=/usr/local/bin:/usr/bin:/bin:$PATH"
          + " && stty -icanon -isig -echo icrnl min 0 time 100 2>/dev/null"
          + " && printf '\\035%s END\\035' WORD"
          + " && while read -r __d_n && [ \"$__d_n\" != WORD ]; do :; done";

  /** A kept shell is asked little at a time: its pipes need no more than this. */
  private static final String KEPT =
      "exec 2>/dev/null\n"
          + "PATH=${PATH-}:/usr/local/bin:/usr/bin:/bin\n"
          + "stty raw -echo || { printf '\\035%s FAILED stty\\035' WORD; exit 125; }\n"
          + "printf '\\035%s READY\\035' WORD\n"
          + "cat | __d_program | cat\n";

  RelayText {
    variables = Map.copyOf(variables);
  }

  /**
   * For a start.
   *
   * @param word a secret word of letters, digits and dashes
   * @param directory for what relays keep while they run
   * @param id names what this one keeps
   * @param acks whether input is acknowledged; for a terminal, whether its name is told
   * @param before as {@link Relays#Relays}
   */
  static RelayText of(
      Machine.Start start, String word, String directory, String id, boolean acks, String before) {
    StringBuilder body = new StringBuilder();
    if (start.terminal().isPresent()) {
      String name = acks ? " \"$(PATH=/usr/bin:/bin:${PATH-} tty)\"" : "";
      body.append("printf '\\035%s READY %s\\035' ").append(word).append(name).append('\n');
      body.append(program(start.environment(), lingering(start.argv(), word)));
    } else {
      boolean kept = Relays.kept(start);
      if (!kept) {
        body.append("__d_word=").append(word);
        body.append(" __d_dir=").append(ShellText.quote(directory));
        body.append(" __d_id=").append(ShellText.quote(id));
        body.append(" __d_acks=").append(acks ? "1" : "");
        body.append(" __d_input=").append(start.input() ? "1" : "").append('\n');
      }
      body.append("__d_program() {\n");
      body.append(program(start.environment(), start.argv()));
      body.append("}\n").append(kept ? KEPT.replace("WORD", word) : RELAY);
    }
    Map<String, String> variables = new LinkedHashMap<>();
    for (String piece : pieces(body.toString())) {
      variables.put(VARIABLE + variables.size(), piece);
    }
    String names = String.join(" ", variables.keySet());
    String all = "$" + names.replace(" ", "$");
    // Not in the program's environment.
    String begin = "__d_text=" + all + "; unset " + names + "; eval \"$__d_text\"";
    String line = " " + before.replace("WORD", word) + " /bin/sh -c '" + begin + "'; exit 127\n";
    return new RelayText(line, variables);
  }

  private static List<String> pieces(String text) {
    List<String> pieces = new ArrayList<>();
    int from = 0;
    while (from < text.length()) {
      int to = Math.min(text.length(), from + PIECE);
      if (to < text.length() && Character.isHighSurrogate(text.charAt(to - 1))) {
        to--;
      }
      pieces.add(text.substring(from, to));
      from = to;
    }
    return pieces;
  }

  /** Exports variables, and takes the shell's place. */
  private static String program(Map<String, String> environment, List<String> argv) {
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

  private static List<String> lingering(List<String> argv, String word) {
    List<String> changed = new ArrayList<>(argv);
    if (argv.size() > 2 && argv.get(1).equals("-c")) {
      String trap = ShellText.quote(LINGER.replace("WORD", word));
      changed.set(2, "trap " + trap + " EXIT\n" + argv.get(2));
    }
    return changed;
  }

  private static String resource(String name) {
    try (InputStream in = Objects.requireNonNull(RelayText.class.getResourceAsStream(name), name)) {
      return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Says nothing: it holds the program's arguments and variables. */
  @Override
  public String toString() {
    return "RelayText";
  }
}
