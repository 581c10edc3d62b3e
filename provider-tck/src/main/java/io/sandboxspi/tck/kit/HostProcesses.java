package io.sandboxspi.tck.kit;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Processes of this host by a variable in their environment; sees none where there is no /proc. */
final class HostProcesses {
  private static final File PROC = new File("/proc");

  private HostProcesses() {}

  /** Pids whose environment holds all of these settings. */
  static List<Long> with(String... settings) {
    List<Long> found = new ArrayList<>();
    String[] entries = PROC.list();
    for (String entry : entries == null ? new String[0] : entries) {
      if (Character.isDigit(entry.charAt(0))) {
        String environment = environment(entry);
        boolean all = !environment.isEmpty();
        for (String setting : settings) {
          all = all && environment.contains("\0" + setting + "\0");
        }
        if (all) {
          found.add(Long.parseLong(entry));
        }
      }
    }
    return found;
  }

  private static String environment(String pid) {
    try (InputStream in = new FileInputStream("/proc/" + pid + "/environ")) {
      byte[] bytes = in.readAllBytes();
      // Threads of the kernel have none.
      return bytes.length == 0 ? "" : "\0" + new String(bytes, StandardCharsets.ISO_8859_1) + "\0";
    } catch (IOException endedOrForeign) {
      return "";
    }
  }
}
