package io.sandboxspi.local;

import io.sandboxspi.local.sweep.ProcessSweep;
import io.sandboxspi.spi.LaunchRequest;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What processes see of variables: a minimal set, those asked for, and the cookie. */
final class LocalEnvironment {
  private static final String DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";
  private static final String LOCALE = "C.UTF-8";
  private static final String TERMINAL = "xterm-256color";

  private final Map<String, String> base = new LinkedHashMap<>();

  LocalEnvironment(Map<String, String> host, Set<String> inherit, String home, String temporary) {
    base.put("PATH", Optional.ofNullable(host.get("PATH")).orElse(DEFAULT_PATH));
    base.put("HOME", home);
    base.put("TMPDIR", temporary);
    for (String name : inherit) {
      Optional.ofNullable(host.get(name)).ifPresent(value -> base.put(name, value));
    }
  }

  /** The whole environment of a launch; the caller's values win, but not over the cookie. */
  Map<String, String> of(LaunchRequest request) {
    Map<String, String> result = new LinkedHashMap<>(base);
    result.putAll(request.environment());
    boolean localeGiven =
        result.keySet().stream().anyMatch(name -> name.equals("LANG") || name.startsWith("LC_"));
    if (!localeGiven) {
      result.put("LANG", LOCALE);
      result.put("LC_ALL", LOCALE);
    }
    if (request.terminal().isPresent()) {
      result.putIfAbsent("TERM", TERMINAL);
    }
    result.put(ProcessSweep.VARIABLE, request.id().value());
    return result;
  }
}
