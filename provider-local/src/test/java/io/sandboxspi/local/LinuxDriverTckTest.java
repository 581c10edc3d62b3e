package io.sandboxspi.local;

import io.sandboxspi.local.driver.linux.LinuxDriver;

class LinuxDriverTckTest extends DriverTck {
  LinuxDriverTckTest() {
    super(LinuxDriver.NAME, LinuxDriver.class);
  }
}
