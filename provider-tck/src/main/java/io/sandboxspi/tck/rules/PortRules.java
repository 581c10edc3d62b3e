package io.sandboxspi.tck.rules;

import io.sandboxspi.Capability;
import io.sandboxspi.Endpoint;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.tck.Rule;
import io.sandboxspi.tck.kit.Expect;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Ports that are reached from outside. */
public interface PortRules extends KitAccess {
  /** What was declared is found, and nothing else. */
  @Test
  @Rule("S-PORT-01")
  default void S_PORT_01_onlyDeclaredPortsAreFound() throws Exception {
    kit().need(Capability.PORTS);
    SandboxSession session = kit().session();
    Set<Integer> declared = kit().backend().ports();
    int other = 1;
    while (declared.contains(other)) {
      other++;
    }
    int undeclared = other;
    SandboxException refused =
        Expect.code("S-PORT-01", ErrorCode.PORT_NOT_CONFIGURED, () -> session.endpoint(undeclared));
    for (int port : declared) {
      Expect.that(
          "S-PORT-01",
          refused.context().getOrDefault("declared", "").contains("" + port),
          "port %s is not listed",
          port);
      Endpoint endpoint = session.endpoint(port);
      Expect.that("S-PORT-01", !endpoint.host().isEmpty(), "no host for port %s", port);
    }
  }
}
