package io.sandboxspi.local;

import io.sandboxspi.local.driver.pty4j.Pty4jDriver;

class Pty4jDriverTckTest extends DriverTck {
  Pty4jDriverTckTest() {
    super(Pty4jDriver.NAME, Pty4jDriver.class);
  }
}
