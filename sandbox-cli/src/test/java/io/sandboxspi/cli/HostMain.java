package io.sandboxspi.cli;

import io.sandboxspi.SandboxSession;
import io.sandboxspi.SandboxSpec;
import io.sandboxspi.core.ProviderInfo;
import java.util.List;

/** The command over {@link HostSession}, for a JVM of its own. */
final class HostMain {
  private HostMain() {}

  public static void main(String[] args) {
    Engine engine =
        new Engine() {
          @Override
          public SandboxSession open(String provider, SandboxSpec spec) {
            return new HostSession();
          }

          @Override
          public List<ProviderInfo> providers() {
            return List.of();
          }
        };
    System.exit(Main.run(engine, args));
  }
}
