package io.sandboxspi.bench.contender;

import java.util.List;
import java.util.Map;

/** The programs that every contender runs, and their environment. */
public final class Programs {
  /** Says two bytes and a line end. */
  public static final List<String> HI = List.of("/bin/echo", "hi");

  /** Says 'R', then gives back each byte. */
  public static final List<String> ECHO = shell("stty raw -echo; printf R; exec cat");

  /** Says 'R' and does nothing more. */
  public static final List<String> IDLE = shell("printf R; exec sleep 100000");

  /** Never stops to talk. */
  public static final List<String> FLOOD =
      shell("exec yes 0123456789012345678901234567890123456789");

  private Programs() {}

  /** Says this many bytes. */
  public static List<String> bytes(long count) {
    return shell("stty raw; exec head -c " + count + " /dev/zero");
  }

  /** Says one word and a line end. */
  public static List<String> word(String word) {
    return List.of("/bin/echo", word);
  }

  private static List<String> shell(String text) {
    return List.of("/bin/sh", "-c", text);
  }

  /** Makes an environment that of every program. */
  public static void prepare(Map<String, String> environment) {
    environment.clear();
    environment.putAll(environment());
  }

  /** The environment of every program. */
  static Map<String, String> environment() {
    return Map.of("PATH", "/usr/local/bin:/usr/bin:/bin", "TERM", "xterm", "LANG", "C.UTF-8");
  }
}
