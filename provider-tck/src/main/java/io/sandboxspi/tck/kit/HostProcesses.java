package io.sandboxspi.tck.kit;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Processes of this host by a variable in their environment; sees none where there is no /proc. */
final class HostProcesses {
  private HostProcesses() {}

  /** Pids whose environment holds all of these settings. */
  static List<Long> with(String... settings) {
    List<Long> found = new ArrayList<>();
    Path proc = Path.of("/proc");
    if (!Files.isDirectory(proc)) {
      return found;
    }
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(proc, "[0-9]*")) {
      for (Path entry : entries) {
        String environment = environment(entry);
        boolean all = !environment.isEmpty();
        for (String setting : settings) {
          all &= environment.contains("\0" + setting + "\0");
        }
        if (all) {
          found.add(Long.parseLong(entry.getFileName().toString()));
        }
      }
    } catch (IOException gone) {
      return found;
    }
    return found;
  }

  private static String environment(Path entry) {
    try {
      byte[] bytes = Files.readAllBytes(entry.resolve("environ"));
      return "\0" + new String(bytes, StandardCharsets.ISO_8859_1) + "\0";
    } catch (IOException endedOrForeign) {
      return "";
    }
  }
}
