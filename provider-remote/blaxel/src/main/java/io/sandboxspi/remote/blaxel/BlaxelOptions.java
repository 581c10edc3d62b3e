package io.sandboxspi.remote.blaxel;

import io.sandboxspi.SandboxException;
import io.sandboxspi.remote.shell.Marks;
import io.sandboxspi.remote.transport.OptionReader;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The options of a sandbox, checked (spec S-VAL-01, S-VAL-02).
 *
 * @param memory in MB; two thousand of them come with one core
 * @param region where it runs; empty for what the environment says
 * @param life when the vendor ends it
 * @param labels beside the provider's
 * @param workspace absolute; empty for {@code workspace} in the user's home directory
 * @param ports that are reached from outside
 * @param previews whether who knows a port's address may use it
 */
record BlaxelOptions(
    String image,
    int memory,
    Optional<String> region,
    Life life,
    Map<String, String> labels,
    Optional<String> workspace,
    Set<Integer> ports,
    Previews previews,
    OnRelease onRelease) {

  static final String API_URL = "api-url";
  static final String SANDBOX_URL = "sandbox-url";

  /** The vendor keeps these for itself. */
  private static final Set<Integer> RESERVED = Set.of(80, 443, 8080);

  private static final Pattern IMAGE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._/:@-]{0,254}");
  private static final Pattern REGION = Pattern.compile("[a-z0-9][a-z0-9-]{0,31}");
  private static final Pattern LABEL = Pattern.compile("[^=]+=.*");
  private static final Pattern TIME = Pattern.compile("[1-9][0-9]{0,5}[smhdw]");
  private static final Pattern IDLE = Pattern.compile("[1-9][0-9]{0,5}[smhdw]|never");
  private static final String NEVER = "never";

  /**
   * When the vendor deletes it.
   *
   * @param most after it was made
   * @param idle without any use; empty for never
   */
  record Life(Optional<String> most, Optional<String> idle) {}

  /** Who may use a port. */
  enum Previews {
    /** Who has a token, which is a part of the endpoint. */
    PRIVATE,
    /** Everybody. */
    PUBLIC
  }

  /** What becomes of the sandbox when a session lets go of it. */
  enum OnRelease {
    /** It stays, and sleeps until it is used again. */
    KEEP,
    /** It is deleted. */
    DELETE
  }

  BlaxelOptions {
    labels = Map.copyOf(labels);
    ports = Set.copyOf(ports);
  }

  static BlaxelOptions parse(Map<String, String> given) {
    OptionReader options = new OptionReader(BlaxelProvider.NAME, given);
    Optional<String> idle =
        Optional.of(options.matched("idle-ttl", "7d", IDLE, "never, or a time as 30m, 24h or 7d"))
            .filter(value -> !value.equals(NEVER));
    Optional<String> most = options.optional("ttl", TIME, "a time as 90s, 30m, 24h, 7d or 2w");
    BlaxelOptions parsed =
        new BlaxelOptions(
            options.matched("image", "blaxel/base-image:latest", IMAGE, "the name of an image"),
            options.number("memory", 256, 262_144).orElse(4096),
            options.optional("region", REGION, "the name of a region, as us-pdx-1"),
            new Life(most, idle),
            options.pairs("labels", LABEL, "name=value", Marks.PREFIX),
            options.absoluteWorkspace(),
            options.ports("ports", 1, RESERVED),
            options.choice(Previews.class, "previews", "private"),
            options.choice(OnRelease.class, "on-release", "keep"));
    Object unused = options.client(Wire.USER_AGENT);
    for (String address : List.of(API_URL, SANDBOX_URL)) {
      // They are checked where they are used.
      unused = options.text(address, "");
    }
    options.end();
    if (idle.isEmpty() && most.isEmpty()) {
      // Nothing would ever end what is forgotten.
      throw SandboxException.invalid("idle-ttl", NEVER, "a time, or never together with ttl");
    }
    return parsed;
  }
}
