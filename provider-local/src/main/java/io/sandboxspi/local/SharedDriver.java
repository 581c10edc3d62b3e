package io.sandboxspi.local;

import io.sandboxspi.local.driver.PtyDriver;
import io.sandboxspi.local.driver.PtyDrivers;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** The driver of this JVM: opened with the first backend and closed with the last. */
final class SharedDriver {
  private static final Object LOCK = new Object();
  private static @Nullable PtyDriver current;
  private static int leases;

  private SharedDriver() {}

  /** Keeps the driver open until it is closed; once. */
  static final class Lease implements AutoCloseable {
    private final PtyDriver driver;
    private final AtomicBoolean closed = new AtomicBoolean();

    private Lease(PtyDriver driver) {
      this.driver = driver;
    }

    PtyDriver driver() {
      return driver;
    }

    @Override
    public void close() {
      if (closed.compareAndSet(false, true)) {
        giveBack();
      }
    }
  }

  /**
   * Takes a lease.
   *
   * @throws IllegalStateException when no driver can work here
   */
  static Lease lease() {
    synchronized (LOCK) {
      PtyDriver driver = current;
      if (driver == null) {
        driver = PtyDrivers.open();
        current = driver;
      }
      leases++;
      return new Lease(driver);
    }
  }

  private static void giveBack() {
    synchronized (LOCK) {
      if (--leases == 0 && current != null) {
        current.close();
        current = null;
      }
    }
  }
}
