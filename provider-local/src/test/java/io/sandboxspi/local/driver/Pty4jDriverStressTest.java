package io.sandboxspi.local.driver;

import io.sandboxspi.local.driver.pty4j.Pty4jDriver;

class Pty4jDriverStressTest extends DriverStress {
  @Override
  PtyDriver open() {
    return new Pty4jDriver();
  }

  @Override
  int shortSessions() {
    return 1_000;
  }

  @Override
  int starts() {
    return 300;
  }
}
