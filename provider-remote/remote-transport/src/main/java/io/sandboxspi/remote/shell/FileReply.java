package io.sandboxspi.remote.shell;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import java.util.Arrays;

/** What the functions of files.sh answered: a word, the rest of its line, and what comes behind. */
record FileReply(String word, String rest, byte[] body) {
  static FileReply of(byte[] answer) {
    int end = 0;
    while (end < answer.length && answer[end] != '\n') {
      end++;
    }
    String line = new String(answer, 0, end, UTF_8);
    int space = line.indexOf(' ');
    byte[] body =
        end < answer.length ? Arrays.copyOfRange(answer, end + 1, answer.length) : new byte[0];
    return space < 0
        ? new FileReply(line, "", body)
        : new FileReply(line.substring(0, space), line.substring(space + 1), body);
  }

  /** Itself if it is a success. */
  FileReply orFail(Operation operation, String path) {
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

  static SandboxException failed(Operation operation, String path, String why, Throwable cause) {
    return SandboxException.builder(ErrorCode.FILE_FAILED, operation, '"' + path + "\": " + why)
        .cause(cause)
        .context("path", path)
        .retryable(Retryable.UNKNOWN)
        .build();
  }

  /** Goes through the body. */
  Cursor cursor() {
    return new Cursor(body);
  }

  /** A place in an answer. */
  static final class Cursor {
    private final byte[] bytes;
    private int at;

    private Cursor(byte[] bytes) {
      this.bytes = bytes;
    }

    boolean more() {
      return at < bytes.length;
    }

    String until(char end) {
      int from = at;
      while (at < bytes.length && bytes[at] != end) {
        at++;
      }
      String text = new String(bytes, from, at - from, UTF_8);
      at++;
      return text;
    }
  }
}
