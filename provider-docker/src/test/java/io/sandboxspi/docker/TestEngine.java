package io.sandboxspi.docker;

import static org.junit.jupiter.api.Assertions.fail;

import io.sandboxspi.docker.engine.Engine;
import io.sandboxspi.docker.engine.EngineAddress;
import io.sandboxspi.spi.Deadline;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;

/** The engine under test and its images, made by {@code .ci/test-images}. */
final class TestEngine {
  static final String BUSYBOX = "sandbox-test:busybox";
  static final String EMPTY = "sandbox-test:empty";
  static final String DEBIAN = "sandbox-test:debian";

  private TestEngine() {}

  /** Skips the test, with the reason, where there is no engine; on CI that is a failure. */
  static void need(String image) {
    String missing = missing(image);
    if (!missing.isEmpty()) {
      if (System.getenv("SANDBOX_CI") != null) {
        fail(missing);
      }
      Assumptions.abort(missing);
    }
  }

  private static String missing(String image) {
    try {
      Object unused =
          Engine.resolve(Optional.empty())
              .call(
                  Deadline.after(Duration.ofSeconds(10)),
                  client -> client.inspectImageCmd(image).exec());
      return "";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "interrupted";
    } catch (RuntimeException e) {
      return "needs a Docker engine with "
          + image
          + " (.ci/test-images makes it): "
          + e.getMessage();
    }
  }

  /** The engine's unix socket. */
  static Path socket() {
    EngineAddress address = Engine.resolve(Optional.empty()).address();
    Assumptions.assumeTrue(
        address instanceof EngineAddress.Unix, "needs an engine on a unix socket");
    return ((EngineAddress.Unix) address).path();
  }
}
