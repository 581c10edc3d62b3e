package io.sandboxspi.local.driver;

import io.sandboxspi.local.driver.pty4j.Pty4jDriver;

class Pty4jDriverTest extends DriverContract {
  @Override
  PtyDriver open() {
    return new Pty4jDriver();
  }
}
