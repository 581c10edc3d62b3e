package io.sandboxspi.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.sandboxspi.local.driver.PtyDriver;
import io.sandboxspi.local.driver.PtyDrivers;
import io.sandboxspi.tck.Rule;
import io.sandboxspi.tck.TckEnvironment;
import io.sandboxspi.tck.rules.KitAccess;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A part of the conformance kit over one driver. */
interface OverDriver extends KitAccess {
  /** The driver's name. */
  String driver();

  /** The driver's class. */
  Class<? extends PtyDriver> type();

  /** Chooses the driver; the kit asks before it opens its first session. */
  default TckEnvironment local() {
    System.setProperty(PtyDrivers.PROPERTY, driver());
    return TckEnvironment.of(new LocalProvider()).options(Map.of("ports", "8080,8443"));
  }

  @AfterEach
  default void chooseNone() {
    System.clearProperty(PtyDrivers.PROPERTY);
  }

  @Test
  @Rule("S-LOCAL-03")
  default void S_LOCAL_03_theKitRunsOverTheDriverAskedFor() throws InterruptedException {
    assertThat(kit().session().probe()).isNotNull();
    try (SharedDriver.Lease lease = SharedDriver.lease()) {
      assertThat(lease.driver()).isInstanceOf(type());
    }
  }
}
