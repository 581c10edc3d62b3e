package io.sandboxspi.remote.e2b;

import io.sandboxspi.remote.shell.Marks;
import io.sandboxspi.remote.transport.ClientOptions;
import io.sandboxspi.remote.transport.OptionReader;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Options of the provider; docs/providers/e2b.md has the table. Everything that can be checked here
 * is (spec S-VAL-02).
 *
 * @param template name, id, or id of a snapshot
 * @param timeout how long a sandbox lives after the last renewal
 * @param keepAlive whether its life is renewed while a session is open
 * @param onTimeout what the vendor does at its end
 * @param onRelease what becomes of it when a session lets go of it
 * @param user of its processes; empty for the vendor's
 * @param workspace absolute, or below the user's home
 * @param internet whether it has access to the internet
 * @param ports that are reached from outside
 * @param open whether ports are reached by whoever knows their address
 * @param metadata more of it
 * @param streamKeepAlive how often an idle stream must say that it lives
 * @param client how connections are made
 */
record E2bOptions(
    String template,
    Duration timeout,
    boolean keepAlive,
    OnTimeout onTimeout,
    OnRelease onRelease,
    Optional<String> user,
    String workspace,
    boolean internet,
    Set<Integer> ports,
    boolean open,
    Map<String, String> metadata,
    Duration streamKeepAlive,
    ClientOptions client) {

  static final String USER_AGENT = "sandbox-spi";

  /** How often an idle stream says that it lives, if nothing else is asked for. */
  static final Duration STREAM_KEEP_ALIVE = Duration.ofSeconds(20);

  private static final long LONGEST = 86_400;
  private static final Pattern TEMPLATE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._/:-]{0,199}");
  private static final Pattern USER = Pattern.compile("[a-z_][a-z0-9_-]{0,31}");
  private static final Pattern PAIR = Pattern.compile("[^=]+=.*");

  /** What the vendor does with a sandbox whose time is over. */
  enum OnTimeout {
    /** It is removed. */
    KILL,
    /** It is kept without running. */
    PAUSE
  }

  /** What becomes of a sandbox when a session lets go of it. */
  enum OnRelease {
    /** It runs on until its time is over. */
    KEEP,
    /** It is kept without running. */
    PAUSE,
    /** It is removed. */
    KILL
  }

  E2bOptions {
    metadata = Map.copyOf(metadata);
    ports = Set.copyOf(ports);
  }

  /**
   * Reads them.
   *
   * @param durable whether the sandbox is to outlive sessions: then its end is a pause unless the
   *     options say otherwise
   */
  static E2bOptions parse(Map<String, String> given, boolean durable) {
    OptionReader options = new OptionReader(E2bProvider.NAME, given);
    E2bOptions parsed =
        new E2bOptions(
            options.matched("template", "base", TEMPLATE, "a template's name or id"),
            options.seconds("timeout", 300, 15, LONGEST),
            options.flag("keep-alive", true),
            options.choice(OnTimeout.class, "on-timeout", durable ? "pause" : "kill"),
            options.choice(OnRelease.class, "on-release", "keep"),
            options.optional("user", USER, "a user's name"),
            options.workspace("workspace"),
            options.flag("internet", true),
            options.ports("ports", 1, Set.of(Envd.PORT)),
            options.flag("public", true),
            options.pairs("metadata", PAIR, "name=value", Marks.PREFIX),
            options.seconds("stream-keep-alive", STREAM_KEEP_ALIVE.toSeconds(), 1, 300),
            options.client(USER_AGENT));
    options.end();
    return parsed;
  }

  /** With a snapshot for the template. */
  E2bOptions from(String snapshot) {
    return new E2bOptions(
        snapshot,
        timeout,
        keepAlive,
        onTimeout,
        onRelease,
        user,
        workspace,
        internet,
        ports,
        open,
        metadata,
        streamKeepAlive,
        client);
  }
}
