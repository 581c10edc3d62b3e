package io.sandboxspi.local.driver;

import io.sandboxspi.local.driver.linux.LinuxDriver;

class LinuxDriverStressTest extends DriverStress {
  @Override
  PtyDriver open() {
    return new LinuxDriver();
  }

  @Override
  int shortSessions() {
    return 5_000;
  }

  @Override
  int starts() {
    return 1_000;
  }
}
