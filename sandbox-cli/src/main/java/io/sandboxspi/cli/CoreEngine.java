package io.sandboxspi.cli;

import io.sandboxspi.Checkpoint;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.SandboxSpec;
import io.sandboxspi.core.ProviderInfo;
import io.sandboxspi.core.Sandboxes;
import java.util.List;

/** The engine on the class path. */
final class CoreEngine implements Engine {
  @Override
  public SandboxSession open(String provider, SandboxSpec spec) throws InterruptedException {
    return Sandboxes.open(provider, spec);
  }

  @Override
  public SandboxSession resume(Checkpoint checkpoint, SandboxSpec spec)
      throws InterruptedException {
    return Sandboxes.resume(checkpoint, spec);
  }

  @Override
  public SandboxSession restore(Checkpoint checkpoint, SandboxSpec spec)
      throws InterruptedException {
    return Sandboxes.restore(checkpoint, spec);
  }

  @Override
  public List<ProviderInfo> providers() {
    return Sandboxes.providers();
  }
}
