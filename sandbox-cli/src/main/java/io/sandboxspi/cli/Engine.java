package io.sandboxspi.cli;

import io.sandboxspi.Checkpoint;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.SandboxSpec;
import io.sandboxspi.core.ProviderInfo;
import java.util.List;

/** How the commands reach sandboxes. */
interface Engine {
  /** Opens a sandbox of the named provider. */
  SandboxSession open(String provider, SandboxSpec spec) throws InterruptedException;

  /** Opens a sandbox again; see {@link io.sandboxspi.core.Sandboxes#resume}. */
  SandboxSession resume(Checkpoint checkpoint, SandboxSpec spec) throws InterruptedException;

  /** Opens a sandbox again as it was saved; see {@link io.sandboxspi.core.Sandboxes#restore}. */
  SandboxSession restore(Checkpoint checkpoint, SandboxSpec spec) throws InterruptedException;

  /** Every provider on the class path, broken ones too. */
  List<ProviderInfo> providers();
}
