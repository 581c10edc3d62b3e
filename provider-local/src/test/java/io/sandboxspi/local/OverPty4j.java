package io.sandboxspi.local;

import io.sandboxspi.local.driver.PtyDriver;
import io.sandboxspi.local.driver.pty4j.Pty4jDriver;
import io.sandboxspi.tck.CleanupTck;
import io.sandboxspi.tck.CommandsTck;
import io.sandboxspi.tck.StartsTck;
import io.sandboxspi.tck.TckEnvironment;
import io.sandboxspi.tck.TerminalsTck;

/** The kit over this driver, in parts that run in JVMs of their own. */
interface OverPty4j extends OverDriver {
  @Override
  default String driver() {
    return Pty4jDriver.NAME;
  }

  @Override
  default Class<? extends PtyDriver> type() {
    return Pty4jDriver.class;
  }
}

class Pty4jCommandsTckTest extends CommandsTck implements OverPty4j {
  @Override
  protected TckEnvironment environment() {
    return local();
  }
}

class Pty4jTerminalsTckTest extends TerminalsTck implements OverPty4j {
  @Override
  protected TckEnvironment environment() {
    return local();
  }
}

class Pty4jStartsTckTest extends StartsTck implements OverPty4j {
  @Override
  protected TckEnvironment environment() {
    return local();
  }
}

class Pty4jCleanupTckTest extends CleanupTck implements OverPty4j {
  @Override
  protected TckEnvironment environment() {
    return local();
  }
}
