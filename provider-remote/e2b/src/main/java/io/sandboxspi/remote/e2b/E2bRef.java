package io.sandboxspi.remote.e2b;

import io.sandboxspi.SandboxException;
import io.sandboxspi.spi.BackendRef;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What is kept of a sandbox; never a token.
 *
 * @param sandbox the vendor's id
 * @param home of the user of its processes, absolute
 * @param workspace absolute
 * @param user of its processes; empty for the vendor's
 * @param timeout how long it lives after a renewal
 * @param keepAlive whether an open session renews it
 * @param resumes whether it is woken by its use
 * @param streamKeepAlive how often an idle stream must say that it lives
 * @param ports that are reached from outside
 * @param onRelease what becomes of it when a session lets go
 */
record E2bRef(
    String sandbox,
    String home,
    String workspace,
    Optional<String> user,
    Duration timeout,
    boolean keepAlive,
    boolean resumes,
    Duration streamKeepAlive,
    Set<Integer> ports,
    E2bOptions.OnRelease onRelease) {

  static E2bRef of(String sandbox, String home, String workspace, E2bOptions options) {
    return new E2bRef(
        sandbox,
        home,
        workspace,
        options.user(),
        options.timeout(),
        options.keepAlive(),
        options.onTimeout() == E2bOptions.OnTimeout.PAUSE,
        options.streamKeepAlive(),
        options.ports(),
        options.onRelease());
  }

  BackendRef toRef() {
    Map<String, String> data = new HashMap<>();
    data.put("sandbox", sandbox);
    data.put("home", home);
    data.put("workspace", workspace);
    user.ifPresent(name -> data.put("user", name));
    data.put("timeout", String.valueOf(timeout.toSeconds()));
    data.put("keep-alive", String.valueOf(keepAlive));
    data.put("resumes", String.valueOf(resumes));
    data.put("stream-keep-alive", String.valueOf(streamKeepAlive.toSeconds()));
    data.put(
        "ports", ports.stream().sorted().map(String::valueOf).collect(Collectors.joining(",")));
    data.put("on-release", onRelease.name());
    return new BackendRef(E2bProvider.NAME, data);
  }

  static E2bRef parse(BackendRef ref) {
    Map<String, String> data = ref.data();
    try {
      E2bRef parsed =
          new E2bRef(
              data.getOrDefault("sandbox", ""),
              data.getOrDefault("home", ""),
              data.getOrDefault("workspace", ""),
              Optional.ofNullable(data.get("user")),
              Duration.ofSeconds(Long.parseLong(data.getOrDefault("timeout", ""))),
              Boolean.parseBoolean(data.get("keep-alive")),
              Boolean.parseBoolean(data.get("resumes")),
              Duration.ofSeconds(Long.parseLong(data.getOrDefault("stream-keep-alive", ""))),
              ports(data.getOrDefault("ports", "")),
              E2bOptions.OnRelease.valueOf(data.getOrDefault("on-release", "")));
      if (parsed.sandbox().equals(sandbox(ref))
          && parsed.home().startsWith("/")
          && parsed.workspace().startsWith("/")) {
        return parsed;
      }
    } catch (IllegalArgumentException e) {
      throw wrong(ref);
    }
    throw wrong(ref);
  }

  /** A reference that holds no more than the vendor's id. */
  static BackendRef named(String sandbox) {
    return new BackendRef(E2bProvider.NAME, Map.of("sandbox", sandbox));
  }

  /** The vendor's id, which is all that a deletion needs. */
  static String sandbox(BackendRef ref) {
    String sandbox = ref.data().getOrDefault("sandbox", "");
    if (!ref.provider().equals(E2bProvider.NAME) || !sandbox.matches("[a-z0-9]{1,64}")) {
      throw wrong(ref);
    }
    return sandbox;
  }

  private static Set<Integer> ports(String text) {
    Set<Integer> ports = new HashSet<>();
    for (String item : text.isEmpty() ? new String[0] : text.split(",")) {
      ports.add(Integer.valueOf(item));
    }
    return ports;
  }

  private static SandboxException wrong(BackendRef ref) {
    return SandboxException.invalid(
        "backend reference", "of " + ref.provider(), "one of provider e2b");
  }
}
