package io.sandboxspi.bench.worker;

import io.sandboxspi.bench.contender.ApiContender;
import io.sandboxspi.bench.contender.Contender;
import io.sandboxspi.bench.contender.LinuxContender;
import io.sandboxspi.bench.contender.ProcessBuilderContender;
import io.sandboxspi.bench.contender.Pty4jContender;
import io.sandboxspi.bench.contender.SpringLocalContender;
import java.util.LinkedHashMap;
import java.util.Map;

/** The contenders of one worker, opened on first use. */
final class Contenders {
  private final Map<String, Contender> open = new LinkedHashMap<>();

  Contender get(String name) throws Exception {
    Contender known = open.get(name);
    if (known == null) {
      known = open(name);
      open.put(name, known);
    }
    return known;
  }

  void close(String name) throws Exception {
    Contender known = open.remove(name);
    if (known != null) {
      known.close();
    }
  }

  void closeAll() throws Exception {
    for (String name : open.keySet().toArray(new String[0])) {
      close(name);
    }
  }

  private static Contender open(String name) throws Exception {
    return switch (name) {
      case "linux" -> new LinuxContender("linux");
      case "linux-pty4j" -> new LinuxContender("pty4j");
      case "api" -> ApiContender.open();
      case "api-stalled" -> ApiContender.openStalling();
      case "pty4j" -> new Pty4jContender();
      case "processbuilder" -> new ProcessBuilderContender();
      case "spring-local" -> new SpringLocalContender();
      default -> throw new IllegalArgumentException("no contender " + name);
    };
  }
}
