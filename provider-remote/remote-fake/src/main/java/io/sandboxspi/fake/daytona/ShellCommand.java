package io.sandboxspi.fake.daytona;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** One command of a session. Its output goes through loops that know lines only. */
final class ShellCommand {
  private static final String SCRIPT =
      """
      mkfifo 'D/out' 'D/err' 'D/in'
      { while IFS= read -r l || [ -n "$l" ]; do printf '\\001\\001\\001%s\\n' "$l"; done <'D/out' >>'D/log'; } &
      { while IFS= read -r l || [ -n "$l" ]; do printf '\\002\\002\\002%s\\n' "$l"; done <'D/err' >>'D/log'; } &
      {
      COMMAND
      } INPUT >'D/out' 2>'D/err'
      echo $? >'D/code'
      wait
      mv 'D/code' 'D/exit'
      """;

  private final Path place;
  private final String text;

  ShellCommand(Path place, String text) throws IOException {
    this.place = place;
    this.text = text;
    Files.createFile(place.resolve("log"));
  }

  String id() {
    return place.getFileName().toString();
  }

  Path input() {
    return place.resolve("in");
  }

  /** What the session's shell reads. */
  String script(boolean input) {
    return SCRIPT
        .replace("INPUT", input ? "<>'D/in'" : "</dev/null")
        .replace("D/", place + "/")
        .replace("COMMAND", text);
  }

  byte[] log() throws IOException {
    return Files.readAllBytes(place.resolve("log"));
  }

  Optional<Integer> exitCode() {
    try {
      Path exit = place.resolve("exit");
      return Files.exists(exit)
          ? Optional.of(Integer.parseInt(Files.readString(exit).strip()))
          : Optional.empty();
    } catch (IOException gone) {
      return Optional.empty();
    }
  }

  ObjectNode describe() {
    ObjectNode node = FakeSandbox.object().put("id", id()).put("command", text);
    exitCode().ifPresent(code -> node.put("exitCode", code));
    return node;
  }

  /** The lines of one stream; of all for 0. */
  static String stream(byte[] log, int wanted) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    int stream = 1;
    for (int i = 0; i < log.length; i++) {
      boolean mark =
          i + 2 < log.length
              && (log[i] == 1 || log[i] == 2)
              && log[i + 1] == log[i]
              && log[i + 2] == log[i];
      if (mark) {
        stream = log[i];
        i += 2;
      } else if (wanted == 0 || stream == wanted) {
        out.write(log[i]);
      }
    }
    return out.toString(StandardCharsets.UTF_8);
  }
}
