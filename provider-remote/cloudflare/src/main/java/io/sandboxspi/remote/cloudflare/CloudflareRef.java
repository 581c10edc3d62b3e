package io.sandboxspi.remote.cloudflare;

import io.sandboxspi.remote.shell.SandboxFailures;
import io.sandboxspi.remote.transport.OptionReader;
import io.sandboxspi.spi.BackendRef;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * What is kept of a sandbox; never a key.
 *
 * @param worker the bridge that it is of
 * @param sandbox the bridge's id
 * @param instance what its container was marked with: another one has no such mark
 * @param home of the user of its processes, absolute
 * @param root the deployment's workspace, absolute
 * @param workspace at or below it
 * @param connection options of connections
 */
record CloudflareRef(
    String worker,
    String sandbox,
    String instance,
    String home,
    String root,
    String workspace,
    Duration sleepAfter,
    boolean keepAlive,
    CloudflareOptions.OnRelease onRelease,
    Set<Integer> ports,
    Map<String, String> connection) {

  CloudflareRef {
    ports = Set.copyOf(ports);
    connection = Map.copyOf(connection);
  }

  /** Where the launcher and this provider keep what is theirs; not in the workspace. */
  String state() {
    return home + "/.sandbox-spi";
  }

  /** The file that only the container has that was made first. */
  String mark() {
    return mark(home, instance);
  }

  static String mark(String home, String instance) {
    return home + "/.sandbox-spi-" + instance;
  }

  BackendRef toRef() {
    Map<String, String> data = new HashMap<>(connection);
    data.put("worker", worker);
    data.put("sandbox", sandbox);
    data.put("instance", instance);
    data.put("home", home);
    data.put("root", root);
    data.put("workspace", workspace);
    data.put("sleep-after", String.valueOf(sleepAfter.toSeconds()));
    data.put("keep-alive", String.valueOf(keepAlive));
    data.put("on-release", onRelease.name());
    data.put("ports", OptionReader.text(ports));
    return new BackendRef(CloudflareProvider.NAME, data);
  }

  static CloudflareRef parse(BackendRef ref) {
    Map<String, String> data = ref.data();
    try {
      Map<String, String> connection = new HashMap<>(data);
      connection.keySet().retainAll(Set.of(OptionReader.PROXY, OptionReader.CA_FILE));
      CloudflareRef parsed =
          new CloudflareRef(
              data.getOrDefault("worker", ""),
              data.getOrDefault("sandbox", ""),
              UUID.fromString(data.getOrDefault("instance", "")).toString(),
              data.getOrDefault("home", ""),
              data.getOrDefault("root", ""),
              data.getOrDefault("workspace", ""),
              Duration.ofSeconds(Long.parseLong(data.getOrDefault("sleep-after", ""))),
              Boolean.parseBoolean(data.get("keep-alive")),
              CloudflareOptions.OnRelease.valueOf(data.getOrDefault("on-release", "")),
              CloudflareOptions.ports(data.getOrDefault("ports", "")),
              connection);
      if (ref.provider().equals(CloudflareProvider.NAME)
          && parsed.sandbox().matches("[a-z2-7]{1,128}")
          && parsed.home().startsWith("/")
          && parsed.root().startsWith("/")
          && parsed.workspace().startsWith("/")) {
        return parsed;
      }
    } catch (IllegalArgumentException e) {
      throw SandboxFailures.foreign(ref, CloudflareProvider.NAME);
    }
    throw SandboxFailures.foreign(ref, CloudflareProvider.NAME);
  }
}
