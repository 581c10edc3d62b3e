package io.sandboxspi.remote.modal;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.remote.transport.OptionReader;
import io.sandboxspi.remote.transport.Secret;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * What the environment and {@code ~/.modal.toml} say, by the names that Modal's own clients use;
 * the environment goes first.
 *
 * @param credentials empty when there are none
 * @param servers of the control plane; the next one is tried where one cannot be reached
 * @param environment of the account; empty for its default
 * @param builderVersion of images; empty for the environment's
 * @param second whether sandboxes are of the second kind
 * @param maxThrottleWait how long a call waits in all when the vendor asks for it; empty for no
 *     limit
 * @param snapshots who takes snapshots
 */
record Settings(
    Optional<Credentials> credentials,
    List<Server> servers,
    String environment,
    String builderVersion,
    boolean second,
    Optional<Duration> maxThrottleWait,
    Snapshots snapshots) {
  static final String TOKEN_ID = "MODAL_TOKEN_ID";
  static final String TOKEN_SECRET = "MODAL_TOKEN_SECRET";

  /** Not one of the vendor's names. */
  static final String SNAPSHOTS = "SANDBOX_MODAL_SNAPSHOTS";

  private static final String SERVER = "MODAL_SERVER_URL";
  private static final String DEFAULT_SERVER = "https://api.modal.com";
  private static final String THROTTLE = "MODAL_MAX_THROTTLE_WAIT";

  /** Who one is. */
  record Credentials(Secret id, Secret secret) {}

  /** Who takes snapshots of workspaces. */
  enum Snapshots {
    /** The engine. */
    ARCHIVE,
    /** The vendor, of everything in the sandbox. */
    FILESYSTEM,
    /** The vendor, of the workspace. */
    DIRECTORY
  }

  Settings {
    servers = List.copyOf(servers);
  }

  /**
   * Reads them.
   *
   * @param variables answers the empty text for a variable that is not set
   */
  static Settings read(UnaryOperator<String> variables) {
    Profile profile = Profile.read(variables);
    UnaryOperator<String> lookup =
        name -> {
          String value = variables.apply(name);
          return value.isEmpty() ? profile.value(name) : value;
        };
    List<Server> servers =
        Arrays.stream(or(lookup.apply(SERVER), DEFAULT_SERVER).split(",", -1))
            .map(text -> Server.configured(SERVER, text))
            .toList();
    return new Settings(
        credentials(lookup),
        servers,
        named("MODAL_ENVIRONMENT", lookup),
        named("MODAL_IMAGE_BUILDER_VERSION", lookup),
        !List.of("0", "false")
            .contains(or(lookup.apply("MODAL_SANDBOX_V2"), "1").toLowerCase(Locale.ROOT)),
        throttle(lookup.apply(THROTTLE)),
        snapshots(lookup.apply(SNAPSHOTS)));
  }

  private static String or(String text, String otherwise) {
    return text.isEmpty() ? otherwise : text;
  }

  private static Optional<Credentials> credentials(UnaryOperator<String> lookup) {
    String id = lookup.apply(TOKEN_ID);
    String secret = lookup.apply(TOKEN_SECRET);
    return id.isEmpty() || secret.isEmpty()
        ? Optional.empty()
        : Optional.of(new Credentials(Secret.of(TOKEN_ID, id), Secret.of(TOKEN_SECRET, secret)));
  }

  private static String named(String name, UnaryOperator<String> lookup) {
    String value = lookup.apply(name);
    if (!value.matches("[A-Za-z0-9._-]{0,64}")) {
      throw SandboxException.invalid(
          name, '"' + value + '"', "at most 64 letters, digits, dots, dashes and underscores");
    }
    return value;
  }

  private static Optional<Duration> throttle(String text) {
    if (!text.matches("[0-9]{0,6}")) {
      throw SandboxException.invalid(THROTTLE, '"' + text + '"', "whole seconds, 0 for none");
    }
    return text.isEmpty()
        ? Optional.empty()
        : Optional.of(Duration.ofSeconds(Integer.parseInt(text)));
  }

  private static Snapshots snapshots(String text) {
    return OptionReader.chosen(Snapshots.class, SNAPSHOTS, or(text, "archive"));
  }

  /** What is missing, and how to set it. */
  static String missing() {
    return TOKEN_ID
        + " and "
        + TOKEN_SECRET
        + " are not set, and ~/.modal.toml has no active profile with them: make a token on the"
        + " vendor's site and set them";
  }

  Credentials neededCredentials() {
    return credentials.orElseThrow(
        () -> SandboxException.of(ErrorCode.PROVIDER_UNAVAILABLE, Operation.CREATE, missing()));
  }
}
