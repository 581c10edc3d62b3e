package io.sandboxspi.remote.cloudflare;

import io.sandboxspi.SandboxException;
import io.sandboxspi.remote.transport.OptionReader;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The options of a sandbox, checked (spec S-VAL-01, S-VAL-02).
 *
 * @param workspace absolute, or below the deployment's workspace; {@code .} for that itself
 * @param sleepAfter after how long without use the deployment stops a sandbox
 * @param keepAlive whether an open session keeps it from being stopped
 * @param ports that are reached from outside
 * @param given proxy and certificates only
 */
record CloudflareOptions(
    String workspace,
    Duration sleepAfter,
    boolean keepAlive,
    OnRelease onRelease,
    Set<Integer> ports,
    Map<String, String> given) {

  private static final Pattern PATH = Pattern.compile("/?[^/\\x00-\\x1f]+(/[^/\\x00-\\x1f]+)*");
  private static final int LEAST_PORT = 1024;
  private static final Set<Integer> RESERVED = Set.of(3000);
  private static final int LEAST_SLEEP = 30;
  private static final int MOST_SLEEP = 86_400;

  /** What becomes of a sandbox when a session lets go of it. */
  enum OnRelease {
    /** It runs on until it is stopped for want of use. */
    KEEP,
    /** It is deleted. */
    DELETE
  }

  CloudflareOptions {
    ports = Set.copyOf(ports);
    given = Map.copyOf(given);
  }

  static CloudflareOptions parse(Map<String, String> options) {
    OptionReader reader = new OptionReader(CloudflareProvider.NAME, options);
    CloudflareOptions parsed =
        new CloudflareOptions(
            workspace(reader.text("workspace", ".")),
            reader.seconds("sleep-after", 600, LEAST_SLEEP, MOST_SLEEP),
            reader.flag("keep-alive", true),
            reader.choice(OnRelease.class, "on-release", "keep"),
            ports(reader.text("ports", "")),
            OptionReader.data(reader.client(Bridge.USER_AGENT)));
    reader.end();
    return parsed;
  }

  private static String workspace(String value) {
    boolean plain =
        value.equals(".")
            || (PATH.matcher(value).matches() && !("/" + value + "/").matches(".*/\\.{1,2}/.*"));
    if (!plain) {
      throw SandboxException.invalid(
          "workspace", '"' + value + '"', "a path at or below /workspace, without . and ..");
    }
    return value;
  }

  static Set<Integer> ports(String value) {
    return OptionReader.ports("ports", value, LEAST_PORT, RESERVED);
  }
}
