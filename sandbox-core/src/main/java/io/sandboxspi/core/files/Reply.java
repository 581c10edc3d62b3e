package io.sandboxspi.core.files;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * What the shell answered: a word, the rest of its line, and what comes behind.
 *
 * @param body not copied
 */
record Reply(String word, String rest, byte[] body) {
  private static final int LONGEST_LINE = 8_192;

  static Reply of(byte[] answer) {
    int end = 0;
    while (end < answer.length && answer[end] != '\n') {
      end++;
    }
    byte[] body =
        end < answer.length ? Arrays.copyOfRange(answer, end + 1, answer.length) : new byte[0];
    return of(new String(answer, 0, end, UTF_8), body);
  }

  /** The first line of a stream, which is left behind it. */
  static Reply line(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int b = in.read(); b >= 0 && b != '\n' && line.size() < LONGEST_LINE; b = in.read()) {
      line.write(b);
    }
    return of(line.toString(UTF_8), new byte[0]);
  }

  private static Reply of(String line, byte[] body) {
    int space = line.indexOf(' ');
    return space < 0
        ? new Reply(line, "", body)
        : new Reply(line.substring(0, space), line.substring(space + 1), body);
  }

  Reply succeeded(Operation operation, String path) {
    if (word.equals("OK")) {
      return this;
    }
    String why =
        switch (word) {
          case "MISSING" -> "it does not exist";
          case "OUTSIDE" -> "it leads out of the workspace";
          case "LOOP" -> "it is a loop of links";
          case "DIRECTORY" -> "it is a directory";
          case "FILE" -> "there is a file in the place of a directory";
          case "FULL" -> "it is a directory that is not empty";
          case "CHANGED" -> "it changed while it was used";
          case "TOOL" -> "the sandbox has no " + rest;
          case "FAILED" -> rest;
          default -> "the sandbox gave no answer that can be read";
        };
    ErrorCode code =
        switch (word) {
          case "MISSING" -> ErrorCode.FILE_NOT_FOUND;
          case "OUTSIDE" -> ErrorCode.INVALID_PATH;
          default -> ErrorCode.FILE_FAILED;
        };
    throw SandboxException.builder(code, operation, '"' + path + "\": " + why)
        .context("path", path)
        .build();
  }

  @Override
  public boolean equals(Object other) {
    return this == other;
  }

  @Override
  public int hashCode() {
    return System.identityHashCode(this);
  }
}
