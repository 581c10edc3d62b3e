package io.sandboxspi.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

/** Facts about where it was measured; no names of hosts, users or directories. */
final class Machine {
  private Machine() {}

  static Map<String, Object> facts() throws IOException {
    Map<String, Object> facts = new LinkedHashMap<>();
    facts.put("processors", Runtime.getRuntime().availableProcessors());
    facts.put("processor", field(Path.of("/proc/cpuinfo"), "model name"));
    facts.put("memory", field(Path.of("/proc/meminfo"), "MemTotal"));
    facts.put(
        "os",
        System.getProperty("os.name")
            + " "
            + System.getProperty("os.version").replaceAll("^(\\d+\\.\\d+).*", "$1"));
    facts.put("arch", System.getProperty("os.arch"));
    facts.put("java", Runtime.version().toString());
    facts.put("pty4j", version("com/pty4j/PtyProcess.class"));
    facts.put("agent-sandbox", version("org/springaicommunity/sandbox/LocalSandbox.class"));
    return facts;
  }

  /** Average number of runnable processes in the last minute, ours included. */
  static double load() throws IOException {
    return Double.parseDouble(Files.readString(Path.of("/proc/loadavg")).split(" ")[0]);
  }

  private static String field(Path file, String name) throws IOException {
    try (Stream<String> lines = Files.lines(file)) {
      return lines
          .filter(line -> line.startsWith(name))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse("unknown");
    }
  }

  /** The version in the name of the jar that holds a class. */
  private static String version(String resource) {
    var url = Machine.class.getClassLoader().getResource(resource);
    if (url == null) {
      return "absent";
    }
    String jar = url.getPath().replaceAll("\\.jar!.*", "");
    return jar.substring(jar.lastIndexOf('/') + 1);
  }
}
