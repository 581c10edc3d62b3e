package io.sandboxspi.remote.daytona;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.remote.shell.SnapshotMaker;
import io.sandboxspi.remote.transport.Secret;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * What the environment says, or properties of the JVM of the same names.
 *
 * @param key an API key, or a token of a user
 * @param organization needed with a token of a user
 * @param api address of the control plane
 * @param target region of new sandboxes
 * @param toolbox address of the daemon instead of the one that the control plane names; {@code
 *     {id}} in it stands for the sandbox
 * @param vendorSnapshots whether the vendor takes snapshots, and not the engine
 */
record Settings(
    Optional<Secret> key,
    Optional<String> organization,
    Optional<String> api,
    Optional<String> target,
    Optional<String> toolbox,
    boolean vendorSnapshots) {
  /** Not one of the vendor's names. */
  static final String SNAPSHOTS = "SANDBOX_DAYTONA_SNAPSHOTS";

  static final String DEFAULT_API = "https://app.daytona.io/api";
  static final String MISSING =
      "set DAYTONA_API_KEY (or DAYTONA_JWT_TOKEN and DAYTONA_ORGANIZATION_ID), or"
          + " DAYTONA_TOOLBOX_URL alone for a daemon without control plane";

  /** From a look-up that answers empty text for what is not set. */
  static Settings of(UnaryOperator<String> lookup) {
    Optional<Secret> key = secret(lookup, "DAYTONA_API_KEY");
    Optional<Secret> token = secret(lookup, "DAYTONA_JWT_TOKEN");
    Optional<String> api = text(lookup, "DAYTONA_API_URL");
    return new Settings(
        key.or(() -> token),
        key.isPresent() ? Optional.empty() : text(lookup, "DAYTONA_ORGANIZATION_ID"),
        api.isPresent() ? api : text(lookup, "DAYTONA_SERVER_URL"),
        text(lookup, "DAYTONA_TARGET"),
        text(lookup, "DAYTONA_TOOLBOX_URL"),
        SnapshotMaker.of(SNAPSHOTS, lookup.apply(SNAPSHOTS)) == SnapshotMaker.VENDOR);
  }

  private static Optional<String> text(UnaryOperator<String> lookup, String name) {
    return Optional.of(lookup.apply(name).strip()).filter(value -> !value.isEmpty());
  }

  private static Optional<Secret> secret(UnaryOperator<String> lookup, String name) {
    return text(lookup, name).map(value -> Secret.of(name, value));
  }

  /** What is missing; empty when nothing is. */
  Optional<String> missing() {
    return missing(toolbox.isPresent());
  }

  /**
   * What is missing; empty when nothing is.
   *
   * @param daemon whether the address of one is known
   */
  Optional<String> missing(boolean daemon) {
    if (key.isEmpty() && vendorSnapshots) {
      return Optional.of(
          "DAYTONA_API_KEY is not set, which " + SNAPSHOTS + "=vendor needs: set it");
    }
    return key.isPresent() || daemon ? Optional.empty() : Optional.of(MISSING);
  }

  static SandboxException unavailable(String reason) {
    return SandboxException.of(ErrorCode.PROVIDER_UNAVAILABLE, Operation.CREATE, reason);
  }
}
