package io.sandboxspi.docker;

import io.sandboxspi.tck.CleanupTck;
import io.sandboxspi.tck.CommandsTck;
import io.sandboxspi.tck.StartsTck;
import io.sandboxspi.tck.TckEnvironment;
import io.sandboxspi.tck.TerminalsTck;

/**
 * The kit over this image and user, in parts that run in JVMs of their own. Without spares: every
 * launch is made afresh.
 */
final class DebianUserKit {
  private DebianUserKit() {}

  static TckEnvironment environment() {
    TestEngine.need(TestEngine.DEBIAN);
    return DockerFixture.kit(TestEngine.DEBIAN, "user", "sandbox", "spares", "0");
  }
}

class DebianUserCommandsTckTest extends CommandsTck {
  @Override
  protected TckEnvironment environment() {
    return DebianUserKit.environment();
  }
}

class DebianUserTerminalsTckTest extends TerminalsTck {
  @Override
  protected TckEnvironment environment() {
    return DebianUserKit.environment();
  }
}

class DebianUserStartsTckTest extends StartsTck {
  @Override
  protected TckEnvironment environment() {
    return DebianUserKit.environment();
  }
}

class DebianUserCleanupTckTest extends CleanupTck {
  @Override
  protected TckEnvironment environment() {
    return DebianUserKit.environment();
  }
}
