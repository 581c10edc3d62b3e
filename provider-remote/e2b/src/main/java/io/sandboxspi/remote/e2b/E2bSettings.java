package io.sandboxspi.remote.e2b;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.remote.shell.SnapshotMaker;
import io.sandboxspi.remote.transport.Secret;
import io.sandboxspi.remote.transport.Variables;
import java.net.URI;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * What the environment says, by the names that E2B's own clients use.
 *
 * @param key for the control plane; empty when there is none
 * @param domain of addresses
 * @param apiUrl the control plane
 * @param sandboxUrl the daemon, instead of an address made from the domain
 * @param vendorSnapshots whether the vendor takes snapshots, and not the engine
 */
record E2bSettings(
    Optional<Secret> key,
    String domain,
    URI apiUrl,
    Optional<URI> sandboxUrl,
    boolean vendorSnapshots) {
  static final String KEY = "E2B_API_KEY";

  /** Not one of the vendor's names. */
  static final String SNAPSHOTS = "SANDBOX_E2B_SNAPSHOTS";

  private static final String DOMAIN = "E2B_DOMAIN";
  private static final String API = "E2B_API_URL";
  private static final String SANDBOX = "E2B_SANDBOX_URL";
  private static final String DEFAULT_DOMAIN = "e2b.app";

  /**
   * Reads them.
   *
   * @param lookup answers the empty text for a variable that is not set
   */
  static E2bSettings read(UnaryOperator<String> lookup) {
    String domain = or(lookup.apply(DOMAIN), DEFAULT_DOMAIN);
    if (!domain.matches("[A-Za-z0-9.-]{1,253}")) {
      throw SandboxException.invalid(DOMAIN, '"' + domain + '"', "a domain, as " + DEFAULT_DOMAIN);
    }
    String key = lookup.apply(KEY);
    return new E2bSettings(
        key.isEmpty() ? Optional.empty() : Optional.of(key(lookup, key)),
        domain,
        Variables.address(API, or(lookup.apply(API), "https://api." + domain)),
        Optional.of(lookup.apply(SANDBOX))
            .filter(text -> !text.isEmpty())
            .map(text -> Variables.address(SANDBOX, text)),
        SnapshotMaker.of(SNAPSHOTS, lookup.apply(SNAPSHOTS)) == SnapshotMaker.VENDOR);
  }

  private static String or(String text, String otherwise) {
    return text.isEmpty() ? otherwise : text;
  }

  private static Secret key(UnaryOperator<String> lookup, String key) {
    boolean any = lookup.apply("E2B_VALIDATE_API_KEY").equals("false");
    if (!any && !key.matches("e2b_[0-9a-f]+")) {
      throw SandboxException.invalid(
          KEY, "of another form", "e2b_ and hexadecimal digits, or set E2B_VALIDATE_API_KEY=false");
    }
    return Secret.of(KEY, key);
  }

  Secret neededKey() {
    return key.orElseThrow(
        () ->
            SandboxException.of(
                ErrorCode.PROVIDER_UNAVAILABLE,
                Operation.CREATE,
                KEY + " is not set: make a key on the vendor's site and set it"));
  }
}
