package io.sandboxspi.local.driver;

import io.sandboxspi.local.driver.linux.LinuxDriver;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class LinuxDriverTest extends DriverContract {
  @Override
  PtyDriver open() {
    return new LinuxDriver();
  }
}
