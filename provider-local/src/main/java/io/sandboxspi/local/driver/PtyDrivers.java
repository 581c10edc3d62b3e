package io.sandboxspi.local.driver;

import io.sandboxspi.local.driver.linux.LinuxDriver;
import io.sandboxspi.local.driver.pty4j.Pty4jDriver;
import java.util.Optional;

/** Chooses the driver. */
public final class PtyDrivers {
  /** The system property that chooses: {@code linux} or {@code pty4j}. */
  public static final String PROPERTY = "io.sandboxspi.local.pty";

  /** Whether this is Linux, whatever the driver. */
  public static final boolean LINUX = "Linux".equals(System.getProperty("os.name"));

  private PtyDrivers() {}

  /** Why no driver can work on this machine; empty if one can. */
  public static Optional<String> missing() {
    String os = System.getProperty("os.name");
    return os.startsWith("Windows")
        ? Optional.of("local processes need Linux or macOS, this is " + os)
        : Optional.empty();
  }

  /**
   * Opens the driver that {@link #PROPERTY} names, else the best that works here.
   *
   * @throws IllegalStateException when the named driver is unknown or cannot work here
   */
  public static PtyDriver open() {
    return open(Optional.ofNullable(System.getProperty(PROPERTY)));
  }

  /** As {@link #open()}, with the name given. */
  public static PtyDriver open(Optional<String> name) {
    missing()
        .ifPresent(
            reason -> {
              throw new IllegalStateException(reason);
            });
    if (name.isEmpty()) {
      return LinuxDriver.missing().isEmpty() ? new LinuxDriver() : new Pty4jDriver();
    }
    return switch (name.get()) {
      case LinuxDriver.NAME -> {
        Optional<String> missing = LinuxDriver.missing();
        if (missing.isPresent()) {
          throw new IllegalStateException("the linux driver cannot work here: " + missing.get());
        }
        yield new LinuxDriver();
      }
      case Pty4jDriver.NAME -> new Pty4jDriver();
      default ->
          throw new IllegalStateException(
              PROPERTY
                  + " is "
                  + name.get()
                  + "; allowed: "
                  + LinuxDriver.NAME
                  + ", "
                  + Pty4jDriver.NAME);
    };
  }
}
