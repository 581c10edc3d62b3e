package io.sandboxspi.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.sandboxspi.local.driver.PtyDriver;
import io.sandboxspi.local.driver.PtyDrivers;
import io.sandboxspi.tck.Rule;
import io.sandboxspi.tck.SandboxProviderTck;
import io.sandboxspi.tck.TckEnvironment;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The conformance kit over one driver. */
abstract class DriverTck extends SandboxProviderTck {
  private final String driver;
  private final Class<? extends PtyDriver> type;
  private @Nullable String before;

  DriverTck(String driver, Class<? extends PtyDriver> type) {
    this.driver = driver;
    this.type = type;
    // Set before the kit opens its first session.
    before = System.getProperty(PtyDrivers.PROPERTY);
    System.setProperty(PtyDrivers.PROPERTY, driver);
  }

  @BeforeEach
  void choose() {
    assertThat(System.getProperty(PtyDrivers.PROPERTY)).isEqualTo(driver);
  }

  @AfterEach
  void restore() {
    if (before == null) {
      System.clearProperty(PtyDrivers.PROPERTY);
    } else {
      System.setProperty(PtyDrivers.PROPERTY, before);
    }
  }

  @Override
  protected TckEnvironment environment() {
    return TckEnvironment.of(new LocalProvider()).options(Map.of("ports", "8080,8443"));
  }

  @Test
  @Rule("S-LOCAL-03")
  void S_LOCAL_03_theKitRunsOverTheDriverAskedFor() throws InterruptedException {
    assertThat(kit().session().probe()).isNotNull();
    try (SharedDriver.Lease lease = SharedDriver.lease()) {
      assertThat(lease.driver()).isInstanceOf(type);
    }
  }
}
