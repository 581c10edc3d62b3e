package io.sandboxspi.docker;

import io.sandboxspi.tck.CleanupTck;
import io.sandboxspi.tck.CommandsTck;
import io.sandboxspi.tck.StartsTck;
import io.sandboxspi.tck.TckEnvironment;
import io.sandboxspi.tck.TerminalsTck;

/** The kit over this image and user, in parts that run in JVMs of their own. */
final class BusyboxUserKit {
  private BusyboxUserKit() {}

  static TckEnvironment environment() {
    TestEngine.need(TestEngine.BUSYBOX);
    return DockerFixture.kit(TestEngine.BUSYBOX, "user", "1000:1000");
  }
}

class BusyboxUserCommandsTckTest extends CommandsTck {
  @Override
  protected TckEnvironment environment() {
    return BusyboxUserKit.environment();
  }
}

class BusyboxUserTerminalsTckTest extends TerminalsTck {
  @Override
  protected TckEnvironment environment() {
    return BusyboxUserKit.environment();
  }
}

class BusyboxUserStartsTckTest extends StartsTck {
  @Override
  protected TckEnvironment environment() {
    return BusyboxUserKit.environment();
  }
}

class BusyboxUserCleanupTckTest extends CleanupTck {
  @Override
  protected TckEnvironment environment() {
    return BusyboxUserKit.environment();
  }
}
