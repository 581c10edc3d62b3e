package io.sandboxspi.remote.relay;

import io.sandboxspi.core.posix.ShellText;
import io.sandboxspi.remote.shell.Machine;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What is typed into the vendor's interactive shell, and the variables that carry the rest: a line
 * may be as long as a terminal takes, a variable longer. Immutable.
 *
 * @param line the line, with its newline
 * @param variables of the terminal's shell
 */
record RelayText(String line, Map<String, String> variables) {
  private static final String RELAY = ProgramText.resource(RelayText.class, "relay.sh");
  private static final String VARIABLE = "SANDBOX_START";

  // A kernel takes 128 KiB in one variable.
  private static final int PIECE = 24 * 1024;

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
      body.append(ProgramText.of(start.environment(), ProgramText.lingering(start.argv(), word)));
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
      body.append(ProgramText.of(start.environment(), start.argv()));
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

  /** Says nothing: it holds the program's arguments and variables. */
  @Override
  public String toString() {
    return "RelayText";
  }
}
