package io.sandboxspi.remote.modal;

import io.sandboxspi.SandboxException;
import io.sandboxspi.spi.BackendRef;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What is kept of a sandbox; never a token.
 *
 * @param sandbox the vendor's id
 * @param home of its processes' user, absolute; empty in a reference that only names the sandbox
 * @param workspace absolute; empty as well
 * @param ports that are reached from outside
 * @param onRelease what becomes of it when a session lets go
 */
record ModalRef(
    String sandbox,
    String home,
    String workspace,
    Set<Integer> ports,
    ModalOptions.OnRelease onRelease) {
  static final Pattern SANDBOX = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]{2,99}");

  private static final String ID = "sandbox";

  ModalRef {
    ports = Set.copyOf(ports);
  }

  BackendRef toRef() {
    Map<String, String> data = new HashMap<>();
    data.put(ID, sandbox);
    data.put("home", home);
    data.put("workspace", workspace);
    data.put(
        "ports", ports.stream().sorted().map(String::valueOf).collect(Collectors.joining(",")));
    data.put("on-release", onRelease.name());
    return new BackendRef(ModalProvider.NAME, data);
  }

  /** A reference that only names the sandbox. */
  static BackendRef naming(String sandbox) {
    return new BackendRef(ModalProvider.NAME, Map.of(ID, sandbox));
  }

  /** The vendor's id in a reference. */
  static String sandbox(BackendRef ref) {
    String sandbox = ref.data().getOrDefault(ID, "");
    if (!ref.provider().equals(ModalProvider.NAME) || !SANDBOX.matcher(sandbox).matches()) {
      throw wrong(ref);
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
              ports(data.getOrDefault("ports", "")),
              ModalOptions.OnRelease.valueOf(data.getOrDefault("on-release", "")));
      if (parsed.home().startsWith("/") && parsed.workspace().startsWith("/")) {
        return parsed;
      }
    } catch (IllegalArgumentException e) {
      throw wrong(ref);
    }
    throw wrong(ref);
  }

  private static Set<Integer> ports(String text) {
    Set<Integer> ports = new TreeSet<>();
    for (String item : text.isEmpty() ? new String[0] : text.split(",")) {
      ports.add(Integer.valueOf(item));
    }
    return ports;
  }

  private static SandboxException wrong(BackendRef ref) {
    return SandboxException.invalid(
        "backend reference", "of " + ref.provider(), "one of provider modal");
  }
}
