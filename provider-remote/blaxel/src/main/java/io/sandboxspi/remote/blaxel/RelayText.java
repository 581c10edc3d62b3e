package io.sandboxspi.remote.blaxel;

import io.sandboxspi.core.posix.ShellText;
import io.sandboxspi.remote.relay.ProgramText;
import io.sandboxspi.remote.shell.Machine;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * What is typed into the vendor's interactive shell: a short line that waits, and then the text
 * that runs. Immutable.
 *
 * @param loader the line, with its newline
 * @param body the text, as lines of ASCII
 */
record RelayText(String loader, String body) {
  private static final String RELAY = ProgramText.resource(RelayText.class, "relay.sh");
  private static final String PATHS = "/usr/local/bin:/usr/bin:/bin";

  /**
   * Without quotes: it is quoted itself. The start tells the shell from a later one. The text comes
   * as lines that any terminal takes; a shell would read each byte of it by a call.
   */
  private static final String LOADER =
      "read -r __b_s </proc/$$/stat; __b_s=${__b_s##*) };"
          + " set -- \"$1\" \"$2\" $__b_s;"
          + " __b_t=${PATH-}; PATH=${PATH-}:"
          + PATHS
          + ";"
          + " stty MODE -echo && command -v base64 >/dev/null"
          + " || { printf \"\\035%s FAILED stty or base64\\035\" \"$1\"; exit 125; };"
          + " printf \"\\035%s LOAD %s %s\\035\" \"$1\" \"$$\" \"${22}\";"
          + " __b_s=$(dd bs=\"$2\" count=1 iflag=fullblock 2>/dev/null | base64 -d);"
          + " PATH=$__b_t; eval \"$__b_s\"";

  private static final int LINE = 900;

  /**
   * For a start.
   *
   * @param word a secret word of letters, digits and dashes
   * @param kept begins the names of what a relay keeps while it runs
   */
  static RelayText of(Machine.Start start, String word, String kept) {
    StringBuilder body = new StringBuilder();
    String mode = start.terminal().isPresent() ? "" : "raw";
    if (start.terminal().isPresent()) {
      body.append("PATH=$PATH:" + PATHS + " stty echo\n");
      body.append("printf '\\035%s READY\\035' ").append(word).append('\n');
      body.append("unset __b_s __b_t\n");
      body.append(ProgramText.of(start.environment(), ProgramText.lingering(start.argv(), word)));
    } else {
      body.append("__b_word=").append(word);
      body.append(" __b_nl='\n' __b_rs='\u001e'");
      body.append(" __b_at=").append(ShellText.quote(kept));
      body.append(" __b_input=").append(start.input() ? "1" : "").append('\n');
      body.append("__b_program() {\n");
      body.append(ProgramText.of(start.environment(), start.argv()));
      body.append("}\n").append(RELAY);
    }
    String lines = lines(body.toString().getBytes(StandardCharsets.UTF_8));
    return new RelayText(
        " exec /bin/sh -c '"
            + LOADER.replace("MODE", mode)
            + "' sh "
            + word
            + " "
            + lines.length()
            + "\n",
        lines);
  }

  private static String lines(byte[] text) {
    byte[] end = {'\n'};
    return Base64.getMimeEncoder(LINE, end).encodeToString(text) + '\n';
  }

  /** For the format of a shell's printf, without blanks. */
  static String escaped(byte[] bytes) {
    StringBuilder text = new StringBuilder(bytes.length + bytes.length / 2);
    for (byte each : bytes) {
      boolean plain =
          (each >= 'a' && each <= 'z')
              || (each >= 'A' && each <= 'Z')
              || (each >= '0' && each <= '9')
              || "/._:=,".indexOf(each) >= 0;
      if (plain) {
        text.append((char) each);
      } else {
        text.append('\\')
            .append((char) ('0' + ((each >> 6) & 3)))
            .append((char) ('0' + ((each >> 3) & 7)))
            .append((char) ('0' + (each & 7)));
      }
    }
    return text.toString();
  }

  /** Says nothing: it holds the program's arguments and variables. */
  @Override
  public String toString() {
    return "RelayText";
  }
}
