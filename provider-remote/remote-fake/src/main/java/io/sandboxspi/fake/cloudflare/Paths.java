package io.sandboxspi.fake.cloudflare;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/** What the bridge makes of paths. */
final class Paths {
  private static final String KEPT = ";/?:@&=+$,#%";

  private Paths() {}

  /** Decodes what JavaScript's {@code decodeURI} decodes, and no percent sign. */
  static String decode(String raw) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    int i = 0;
    while (i < raw.length()) {
      char c = raw.charAt(i);
      if (c == '%'
          && i + 2 < raw.length()
          && raw.substring(i + 1, i + 3).matches("[0-9A-Fa-f]{2}")) {
        int value = Integer.parseInt(raw.substring(i + 1, i + 3), 16);
        if (KEPT.indexOf(value) < 0) {
          out.write(value);
          i += 3;
          continue;
        }
      }
      out.writeBytes(String.valueOf(c).getBytes(StandardCharsets.UTF_8));
      i++;
    }
    return out.toString(StandardCharsets.UTF_8);
  }

  /** Resolves without looking at links; empty when it is outside. */
  static Optional<Path> within(Path workspace, String path) {
    Deque<String> parts = new ArrayDeque<>();
    String absolute = path.startsWith("/") ? path : workspace + "/" + path;
    for (String part : absolute.split("/")) {
      if (part.equals("..")) {
        parts.pollLast();
      } else if (!part.isEmpty() && !part.equals(".")) {
        parts.addLast(part);
      }
    }
    Path resolved = Path.of("/" + String.join("/", parts));
    return resolved.startsWith(workspace) ? Optional.of(resolved) : Optional.empty();
  }
}
