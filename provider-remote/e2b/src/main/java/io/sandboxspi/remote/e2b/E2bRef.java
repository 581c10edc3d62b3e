package io.sandboxspi.remote.e2b;

import io.sandboxspi.remote.shell.SandboxFailures;
import io.sandboxspi.remote.transport.ClientOptions;
import io.sandboxspi.remote.transport.OptionReader;
import io.sandboxspi.spi.BackendRef;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

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
 * @param client how connections are made
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
    E2bOptions.OnRelease onRelease,
    ClientOptions client) {

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
        options.onRelease(),
        options.client());
  }

  BackendRef toRef() {
    Map<String, String> data = new HashMap<>(OptionReader.data(client));
    data.put("sandbox", sandbox);
    data.put("home", home);
    data.put("workspace", workspace);
    user.ifPresent(name -> data.put("user", name));
    data.put("timeout", String.valueOf(timeout.toSeconds()));
    data.put("keep-alive", String.valueOf(keepAlive));
    data.put("resumes", String.valueOf(resumes));
    data.put("stream-keep-alive", String.valueOf(streamKeepAlive.toSeconds()));
    data.put("ports", OptionReader.text(ports));
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
              OptionReader.ports("ports", data.getOrDefault("ports", ""), 1, Set.of()),
              E2bOptions.OnRelease.valueOf(data.getOrDefault("on-release", "")),
              client(ref));
      if (parsed.sandbox().equals(sandbox(ref))
          && parsed.home().startsWith("/")
          && parsed.workspace().startsWith("/")) {
        return parsed;
      }
    } catch (IllegalArgumentException e) {
      throw SandboxFailures.foreign(ref, E2bProvider.NAME);
    }
    throw SandboxFailures.foreign(ref, E2bProvider.NAME);
  }

  /** A reference that holds no more than the vendor's id. */
  static BackendRef named(String sandbox, ClientOptions client) {
    Map<String, String> data = new HashMap<>(OptionReader.data(client));
    data.put("sandbox", sandbox);
    return new BackendRef(E2bProvider.NAME, data);
  }

  /** How the vendor is reached, which a reference with no more than the id tells as well. */
  static ClientOptions client(BackendRef ref) {
    return client(ref.data());
  }

  /** The same of the data of a reference, or of a snapshot. */
  static ClientOptions client(Map<String, String> data) {
    return new OptionReader(E2bProvider.NAME, data).client(E2bOptions.USER_AGENT);
  }

  /** The vendor's id, which is all that a deletion needs. */
  static String sandbox(BackendRef ref) {
    String sandbox = ref.data().getOrDefault("sandbox", "");
    if (!ref.provider().equals(E2bProvider.NAME) || !sandbox.matches("[a-z0-9]{1,64}")) {
      throw SandboxFailures.foreign(ref, E2bProvider.NAME);
    }
    return sandbox;
  }
}
