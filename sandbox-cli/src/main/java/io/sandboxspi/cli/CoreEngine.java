package io.sandboxspi.cli;

import io.sandboxspi.SandboxSession;
import io.sandboxspi.SandboxSpec;
import java.util.List;

/** The engine on the class path. */
final class CoreEngine implements Engine {
  @Override
  public SandboxSession open(String provider, SandboxSpec spec) throws InterruptedException {
    throw CliFailure.sandbox("there is no engine yet", null);
  }

  @Override
  public List<Provider> providers() {
    return List.of();
  }
}
