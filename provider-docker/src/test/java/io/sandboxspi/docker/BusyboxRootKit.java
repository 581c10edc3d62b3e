package io.sandboxspi.docker;

import io.sandboxspi.tck.CleanupTck;
import io.sandboxspi.tck.CommandsTck;
import io.sandboxspi.tck.StartsTck;
import io.sandboxspi.tck.TckEnvironment;
import io.sandboxspi.tck.TerminalsTck;

/** The kit over this image and user, in parts that run in JVMs of their own. */
final class BusyboxRootKit {
  private BusyboxRootKit() {}

  static TckEnvironment environment() {
    TestEngine.need(TestEngine.BUSYBOX);
    return DockerFixture.kit(TestEngine.BUSYBOX);
  }
}

class BusyboxRootCommandsTckTest extends CommandsTck {
  @Override
  protected TckEnvironment environment() {
    return BusyboxRootKit.environment();
  }
}

class BusyboxRootTerminalsTckTest extends TerminalsTck {
  @Override
  protected TckEnvironment environment() {
    return BusyboxRootKit.environment();
  }
}

class BusyboxRootStartsTckTest extends StartsTck {
  @Override
  protected TckEnvironment environment() {
    return BusyboxRootKit.environment();
  }
}

class BusyboxRootCleanupTckTest extends CleanupTck {
  @Override
  protected TckEnvironment environment() {
    return BusyboxRootKit.environment();
  }
}
