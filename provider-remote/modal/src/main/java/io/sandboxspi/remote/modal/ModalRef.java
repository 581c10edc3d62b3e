package io.sandboxspi.remote.modal;

import io.sandboxspi.remote.shell.SandboxFailures;
import io.sandboxspi.remote.transport.ClientOptions;
import io.sandboxspi.remote.transport.OptionReader;
import io.sandboxspi.spi.BackendRef;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What is kept of a sandbox; never a token.
 *
 * @param sandbox the vendor's id
 * @param home of its processes' user, absolute; empty in a reference that only names the sandbox
 * @param workspace absolute; empty as well
 * @param ports that are reached from outside
 * @param onRelease what becomes of it when a session lets go
 * @param client how connections are made
 */
record ModalRef(
    String sandbox,
    String home,
    String workspace,
    Set<Integer> ports,
    ModalOptions.OnRelease onRelease,
    ClientOptions client) {
  static final Pattern SANDBOX = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]{2,99}");

  private static final String ID = "sandbox";

  ModalRef {
    ports = Set.copyOf(ports);
  }

  BackendRef toRef() {
    Map<String, String> data = new HashMap<>(OptionReader.data(client));
    data.put(ID, sandbox);
    data.put("home", home);
    data.put("workspace", workspace);
    data.put("ports", OptionReader.text(ports));
    data.put("on-release", onRelease.name());
    return new BackendRef(ModalProvider.NAME, data);
  }

  /** A reference that only names the sandbox. */
  static BackendRef naming(String sandbox, ClientOptions client) {
    Map<String, String> data = new HashMap<>(OptionReader.data(client));
    data.put(ID, sandbox);
    return new BackendRef(ModalProvider.NAME, data);
  }

  /** How the vendor is reached, which a reference that only names the sandbox tells as well. */
  static ClientOptions client(BackendRef ref) {
    return new OptionReader(ModalProvider.NAME, ref.data()).client(ModalOptions.USER_AGENT);
  }

  /** The vendor's id in a reference. */
  static String sandbox(BackendRef ref) {
    String sandbox = ref.data().getOrDefault(ID, "");
    if (!ref.provider().equals(ModalProvider.NAME) || !SANDBOX.matcher(sandbox).matches()) {
      throw SandboxFailures.foreign(ref, ModalProvider.NAME);
    }
    return sandbox;
  }

  static ModalRef parse(BackendRef ref) {
    Map<String, String> data = ref.data();
    try {
      ModalRef parsed =
          new ModalRef(
              sandbox(ref),
              data.getOrDefault("home", ""),
              data.getOrDefault("workspace", ""),
              OptionReader.ports("ports", data.getOrDefault("ports", ""), 1, Set.of()),
              ModalOptions.OnRelease.valueOf(data.getOrDefault("on-release", "")),
              client(ref));
      if (parsed.home().startsWith("/") && parsed.workspace().startsWith("/")) {
        return parsed;
      }
    } catch (IllegalArgumentException e) {
      throw SandboxFailures.foreign(ref, ModalProvider.NAME);
    }
    throw SandboxFailures.foreign(ref, ModalProvider.NAME);
  }
}
