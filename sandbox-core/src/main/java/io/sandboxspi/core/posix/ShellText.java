package io.sandboxspi.core.posix;

import io.sandboxspi.SandboxException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/** Text that a POSIX shell reads back as it was. Thread-safe. */
public final class ShellText {
  private ShellText() {}

  /**
   * One word of shell text: nothing in it is special to any POSIX shell.
   *
   * @param word anything without NUL characters
   */
  public static String quote(String word) {
    if (word.indexOf('\0') >= 0) {
      throw SandboxException.invalid("shell word", "text with a NUL character", "text without NUL");
    }
    return '\'' + word.replace("'", "'\\''") + '\'';
  }

  /** Words with a space between them, each quoted. */
  public static String quote(List<String> words) {
    StringBuilder text = new StringBuilder();
    for (String word : words) {
      text.append(text.isEmpty() ? "" : " ").append(quote(word));
    }
    return text.toString();
  }

  /**
   * One line of printable ASCII that does what the text does, for a shell behind a terminal: it
   * holds no newline and no character that a terminal or a line editor acts on.
   */
  static String line(String text) {
    StringBuilder line = new StringBuilder("eval \"$(printf %b '");
    for (byte value : text.getBytes(StandardCharsets.UTF_8)) {
      boolean plain =
          value >= ' ' && value < 0x7f && value != '\\' && value != '\'' && value != '!';
      line.append(plain ? String.valueOf((char) value) : String.format("\\0%03o", value & 0xff));
    }
    return line.append("')\"").toString();
  }

  /** These texts one after another, without what only people need. */
  static String compact(String... names) {
    StringBuilder text = new StringBuilder();
    for (String name : names) {
      resource(name)
          .lines()
          .map(String::strip)
          .filter(line -> !line.isEmpty() && !line.startsWith("#"))
          .forEach(line -> text.append(line).append('\n'));
    }
    return text.toString();
  }

  static String resource(String name) {
    try (InputStream in = Objects.requireNonNull(ShellText.class.getResourceAsStream(name), name)) {
      return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
