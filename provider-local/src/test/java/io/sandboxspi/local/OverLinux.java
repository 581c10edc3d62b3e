package io.sandboxspi.local;

import io.sandboxspi.local.driver.PtyDriver;
import io.sandboxspi.local.driver.linux.LinuxDriver;
import io.sandboxspi.tck.CleanupTck;
import io.sandboxspi.tck.CommandsTck;
import io.sandboxspi.tck.StartsTck;
import io.sandboxspi.tck.TckEnvironment;
import io.sandboxspi.tck.TerminalsTck;

/** The kit over this driver, in parts that run in JVMs of their own. */
interface OverLinux extends OverDriver {
  @Override
  default String driver() {
    return LinuxDriver.NAME;
  }

  @Override
  default Class<? extends PtyDriver> type() {
    return LinuxDriver.class;
  }
}

class LinuxCommandsTckTest extends CommandsTck implements OverLinux {
  @Override
  protected TckEnvironment environment() {
    return local();
  }
}

class LinuxTerminalsTckTest extends TerminalsTck implements OverLinux {
  @Override
  protected TckEnvironment environment() {
    return local();
  }
}

class LinuxStartsTckTest extends StartsTck implements OverLinux {
  @Override
  protected TckEnvironment environment() {
    return local();
  }
}

class LinuxCleanupTckTest extends CleanupTck implements OverLinux {
  @Override
  protected TckEnvironment environment() {
    return local();
  }
}
