package io.sandboxspi.remote.blaxel;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.remote.transport.Secret;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * What the environment says, or properties of the JVM of the same names.
 *
 * @param key an API key
 * @param client id and secret of a service account in base64; used without a key
 * @param workspace whose sandboxes they are
 * @param api address of the control plane
 * @param region of new sandboxes
 * @param sandboxUrl address of one agent without a control plane
 */
record Settings(
    Optional<Secret> key,
    Optional<Secret> client,
    Optional<String> workspace,
    Optional<String> api,
    Optional<String> region,
    Optional<String> sandboxUrl) {
  static final String DEFAULT_REGION = "us-pdx-1";
  static final String MISSING =
      "set BL_API_KEY (or BL_CLIENT_CREDENTIALS) and BL_WORKSPACE, or BL_SANDBOX_URL alone for an"
          + " agent without control plane";

  /** From a look-up that answers empty text for what is not set. */
  static Settings of(UnaryOperator<String> lookup) {
    boolean production = text(lookup, "BL_ENV").orElse("prod").equals("prod");
    Optional<String> api = text(lookup, "BL_API_URL");
    return new Settings(
        secret(lookup, "BL_API_KEY"),
        secret(lookup, "BL_CLIENT_CREDENTIALS"),
        text(lookup, "BL_WORKSPACE").map(Settings::workspace),
        api.isPresent()
            ? api
            : Optional.of(production ? "https://api.blaxel.ai/v0" : "https://api.blaxel.dev/v0"),
        text(lookup, "BL_REGION"),
        text(lookup, "BL_SANDBOX_URL"));
  }

  private static Optional<String> text(UnaryOperator<String> lookup, String name) {
    return Optional.of(lookup.apply(name).strip()).filter(value -> !value.isEmpty());
  }

  private static Optional<Secret> secret(UnaryOperator<String> lookup, String name) {
    return text(lookup, name).map(value -> Secret.of(name, value));
  }

  private static String workspace(String name) {
    if (!name.matches("[A-Za-z0-9][A-Za-z0-9_-]{0,62}")) {
      throw SandboxException.invalid(
          "BL_WORKSPACE", '"' + name + '"', "a workspace's name: letters, digits, dashes");
    }
    return name;
  }

  /** Whether there is a control plane to talk to. */
  boolean hosted() {
    return (key.isPresent() || client.isPresent()) && workspace.isPresent();
  }

  /** What is missing; empty when nothing is. */
  Optional<String> missing() {
    return hosted() || sandboxUrl.isPresent() ? Optional.empty() : Optional.of(MISSING);
  }

  static SandboxException unavailable(String reason) {
    return SandboxException.of(ErrorCode.PROVIDER_UNAVAILABLE, Operation.CREATE, reason);
  }
}
