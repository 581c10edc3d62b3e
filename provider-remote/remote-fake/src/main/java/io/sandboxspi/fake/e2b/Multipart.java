package io.sandboxspi.fake.e2b;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parts of a form, whole in memory. */
final class Multipart {
  private static final Pattern BOUNDARY = Pattern.compile("boundary=\"?([^\";]+)\"?");
  private static final Pattern NAME = Pattern.compile("[; ]name=\"([^\"]*)\"");
  private static final Pattern FILE = Pattern.compile("filename=\"([^\"]*)\"");

  private Multipart() {}

  /** One part. */
  record Part(String name, String fileName, byte[] content) {}

  static List<Part> read(String contentType, byte[] body) throws IOException {
    Matcher boundary = BOUNDARY.matcher(contentType);
    if (!boundary.find()) {
      throw new IOException("no boundary");
    }
    // Every byte is one character, and comes back as it was.
    String text = new String(body, StandardCharsets.ISO_8859_1);
    List<Part> parts = new ArrayList<>();
    for (String each : text.split(Pattern.quote("--" + boundary.group(1)), -1)) {
      int head = each.indexOf("\r\n\r\n");
      if (head > 0 && each.endsWith("\r\n")) {
        String headers = utf8(each.substring(0, head));
        String content = each.substring(head + 4, each.length() - 2);
        parts.add(
            new Part(
                find(NAME, headers),
                find(FILE, headers),
                content.getBytes(StandardCharsets.ISO_8859_1)));
      }
    }
    return parts;
  }

  private static String utf8(String bytes) {
    return new String(bytes.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
  }

  private static String find(Pattern pattern, String text) {
    Matcher matcher = pattern.matcher(text);
    return matcher.find() ? matcher.group(1) : "";
  }
}
