package io.sandboxspi.core.files;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A file as the shell sees it.
 *
 * @param path absolute, without links
 * @param user its owner's number
 * @param group its group's number
 * @param mode its permissions, 0 to 07777
 * @param size in bytes
 * @param modified as exactly as the shell tells
 */
public record SeenFile(String path, long user, long group, int mode, long size, Instant modified) {
  private static final Pattern LINE =
      Pattern.compile(
          "([0-9]{1,10}) ([0-9]{1,10}) ([0-7]{1,4}) ([0-9]{1,18}) "
              + "([0-9-]{10} [0-9:]{8}(?:[.][0-9]{1,9})? [+-][0-9]{4})");
  private static final DateTimeFormatter TIME =
      new DateTimeFormatterBuilder()
          .appendPattern("yyyy-MM-dd HH:mm:ss")
          .appendFraction(ChronoField.NANO_OF_SECOND, 0, 9, true)
          .appendPattern(" xx")
          .toFormatter(java.util.Locale.ROOT);

  /** What the shell said of it; empty if that is not understood. */
  static Optional<SeenFile> of(Reply reply) {
    Matcher line = LINE.matcher(reply.rest());
    if (!line.matches() || reply.body().length == 0) {
      return Optional.empty();
    }
    return Optional.of(
        new SeenFile(
            new String(reply.body(), UTF_8),
            Long.parseLong(line.group(1)),
            Long.parseLong(line.group(2)),
            Integer.parseInt(line.group(3), 8),
            Long.parseLong(line.group(4)),
            OffsetDateTime.parse(line.group(5), TIME).toInstant()));
  }
}
