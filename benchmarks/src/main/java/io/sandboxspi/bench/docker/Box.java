package io.sandboxspi.bench.docker;

import io.sandboxspi.Command;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.SandboxSpec;
import io.sandboxspi.bench.remote.Listening;
import io.sandboxspi.core.Sandboxes;
import io.sandboxspi.docker.DockerProvider;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.LaunchId;
import io.sandboxspi.spi.LaunchRequest;
import io.sandboxspi.spi.ReleaseOutcome;
import io.sandboxspi.spi.SandboxBackend;
import io.sandboxspi.spi.SandboxProcess;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** A container of the provider, used past the engine. */
final class Box implements AutoCloseable {
  static final String IMAGE = "sandbox-test:busybox";

  private static final DockerProvider PROVIDER = new DockerProvider();

  private final SandboxBackend backend;

  Box(int spares) throws InterruptedException {
    backend =
        PROVIDER.create(
            new BackendRequest(
                "bench-" + UUID.randomUUID().toString().substring(0, 8),
                Map.of(
                    "image",
                    IMAGE,
                    "pull",
                    "never",
                    "network",
                    "none",
                    "spares",
                    String.valueOf(spares))),
            soon());
  }

  static Deadline soon() {
    return Deadline.after(Duration.ofSeconds(60));
  }

  /** A session with the same container. */
  static SandboxSession session() throws InterruptedException {
    return Sandboxes.open(
        DockerProvider.NAME,
        SandboxSpec.builder()
            .option("image", IMAGE)
            .option("pull", "never")
            .option("network", "none")
            .build());
  }

  SandboxBackend backend() {
    return backend;
  }

  String container() {
    String id = backend.ref().data().get("container");
    if (id == null) {
      throw new IllegalStateException("a backend of another provider");
    }
    return id;
  }

  /** Starts a program; the caller ends it by its id. */
  LaunchId start(Listening listening, String... argv) throws InterruptedException {
    LaunchId id = LaunchId.random();
    SandboxProcess unused =
        backend.launch(
            new LaunchRequest(
                id, List.of(argv), Map.of(), Optional.empty(), Optional.empty(), false),
            listening,
            soon());
    return id;
  }

  /** The first byte and the whole of a program. */
  long[] run(String... argv) throws Exception {
    Listening listening = new Listening();
    long begin = System.nanoTime();
    LaunchId id = start(listening, argv);
    long[] times = {listening.first() - begin, listening.over() - begin};
    Object unused = backend.kill(id, soon());
    return times;
  }

  /** Ends the container; how long that took. */
  long remove() throws InterruptedException {
    long begin = System.nanoTime();
    ReleaseOutcome unused = PROVIDER.delete(backend.ref(), soon());
    return System.nanoTime() - begin;
  }

  /** A command that floods, and that nobody reads. */
  static void flood(SandboxSession session) throws InterruptedException {
    Object unused = session.start(Command.shell("yes").streaming()).await(Duration.ofSeconds(1));
  }

  @Override
  public void close() throws InterruptedException {
    long unused = remove();
  }
}
