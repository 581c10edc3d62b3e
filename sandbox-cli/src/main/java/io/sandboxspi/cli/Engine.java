package io.sandboxspi.cli;

import io.sandboxspi.Capability;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.SandboxSpec;
import io.sandboxspi.spi.Availability;
import java.util.List;
import java.util.Set;

/** How the commands reach sandboxes. */
interface Engine {
  /** Opens a sandbox of the named provider. */
  SandboxSession open(String provider, SandboxSpec spec) throws InterruptedException;

  /** Every provider on the class path, broken ones too. */
  List<Provider> providers();

  /**
   * A provider.
   *
   * @param implementation the class that implements it
   */
  record Provider(
      String name,
      String implementation,
      Set<Capability> capabilities,
      Availability availability) {}
}
