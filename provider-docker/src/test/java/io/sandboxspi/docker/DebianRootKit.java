package io.sandboxspi.docker;

import io.sandboxspi.tck.CleanupTck;
import io.sandboxspi.tck.CommandsTck;
import io.sandboxspi.tck.StartsTck;
import io.sandboxspi.tck.TckEnvironment;
import io.sandboxspi.tck.TerminalsTck;

/** The kit over this image and user, in parts that run in JVMs of their own. */
final class DebianRootKit {
  private DebianRootKit() {}

  static TckEnvironment environment() {
    TestEngine.need(TestEngine.DEBIAN);
    return DockerFixture.kit(TestEngine.DEBIAN);
  }
}

class DebianRootCommandsTckTest extends CommandsTck {
  @Override
  protected TckEnvironment environment() {
    return DebianRootKit.environment();
  }
}

class DebianRootTerminalsTckTest extends TerminalsTck {
  @Override
  protected TckEnvironment environment() {
    return DebianRootKit.environment();
  }
}

class DebianRootStartsTckTest extends StartsTck {
  @Override
  protected TckEnvironment environment() {
    return DebianRootKit.environment();
  }
}

class DebianRootCleanupTckTest extends CleanupTck {
  @Override
  protected TckEnvironment environment() {
    return DebianRootKit.environment();
  }
}
