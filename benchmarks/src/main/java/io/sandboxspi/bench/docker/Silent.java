package io.sandboxspi.bench.docker;

import io.sandboxspi.SandboxException;
import io.sandboxspi.docker.DockerProvider;
import io.sandboxspi.spi.BackendRef;
import io.sandboxspi.spi.Deadline;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/** An engine that takes connections and says nothing. */
final class Silent {
  private Silent() {}

  /** By how much a call exceeds its deadline, in nanoseconds. */
  static long overrun(Path socket, Duration limit) throws InterruptedException {
    BackendRef ref =
        new BackendRef(
            DockerProvider.NAME,
            Map.of("host", "unix://" + socket, "container", "0123456789abcdef"));
    long begin = System.nanoTime();
    try {
      Object unused = new DockerProvider().attach(ref, Deadline.after(limit));
      throw new IllegalStateException("it answered");
    } catch (SandboxException expected) {
      return Math.max(0, System.nanoTime() - begin - limit.toNanos());
    }
  }
}
