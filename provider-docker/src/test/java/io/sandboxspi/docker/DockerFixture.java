package io.sandboxspi.docker;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.dockerjava.api.DockerClient;
import io.sandboxspi.CleanupTimings;
import io.sandboxspi.Command;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExecResult;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.SandboxSpec;
import io.sandboxspi.core.session.EngineOptions;
import io.sandboxspi.core.session.EngineSession;
import io.sandboxspi.docker.engine.Engine;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.tck.TckEnvironment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Sessions on the engine under test, and what is looked at around them. */
final class DockerFixture {
  private DockerFixture() {}

  static SandboxSession open(Map<String, String> more) throws InterruptedException {
    return open(more, builder -> {});
  }

  static SandboxSession open(Map<String, String> more, Consumer<SandboxSpec.Builder> spec)
      throws InterruptedException {
    Map<String, String> options =
        new HashMap<>(Map.of("image", TestEngine.BUSYBOX, "pull", "never", "network", "none"));
    options.putAll(more);
    SandboxSpec.Builder builder = SandboxSpec.builder();
    options.forEach(builder::option);
    spec.accept(builder);
    return EngineSession.open(new DockerProvider(), builder.build(), EngineOptions.defaults());
  }

  /** What the conformance kit runs against; other suites use the engine at the same time. */
  static TckEnvironment kit(String image, String... more) {
    Map<String, String> options =
        new HashMap<>(Map.of("image", image, "pull", "never", "network", "none"));
    for (int i = 0; i < more.length; i += 2) {
      options.put(more[i], more[i + 1]);
    }
    return TckEnvironment.of(new DockerProvider())
        .options(options)
        .timings(
            new CleanupTimings(
                Duration.ofSeconds(4),
                Duration.ofMillis(500),
                Duration.ofMillis(800),
                Duration.ofSeconds(10)))
        .slack(Duration.ofSeconds(20));
  }

  static String container(SandboxSession session) {
    return session.backend().data().get("container");
  }

  /** The engine itself, past every proxy. */
  static Engine engine() {
    return Engine.resolve(Optional.empty());
  }

  /** Does something to the engine behind the provider's back. */
  static void tell(Consumer<DockerClient> work) throws InterruptedException {
    Object unused =
        engine()
            .call(
                seconds(20),
                client -> {
                  work.accept(client);
                  return true;
                });
  }

  /** Command lines of what runs in a container. */
  static List<String> processes(String container) throws InterruptedException {
    return processes(container, "-ef");
  }

  /** The same, as ps shows it with these arguments. */
  static List<String> processes(String container, String ps) throws InterruptedException {
    return engine()
        .call(
            seconds(20),
            client ->
                Stream.of(client.topContainerCmd(container).withPsArgs(ps).exec().getProcesses())
                    .map(row -> row[row.length - 1])
                    .toList());
  }

  static Deadline seconds(int value) {
    return Deadline.after(Duration.ofSeconds(value));
  }

  static String output(SandboxSession session, String text) throws InterruptedException {
    ExecResult result = session.exec(Command.shell(text).timeout(Duration.ofSeconds(60)));
    return result.stdout().text();
  }

  static boolean until(Duration atMost, Callable<Boolean> condition) throws Exception {
    long end = System.nanoTime() + atMost.toNanos();
    while (!condition.call()) {
      if (System.nanoTime() > end) {
        return false;
      }
      boolean unused = new CountDownLatch(1).await(20, TimeUnit.MILLISECONDS);
    }
    return true;
  }

  /** Ends all processes of a session; on a busy machine it may take more than one try. */
  static void endAll(SandboxSession session) throws Exception {
    assertThat(
            until(
                Duration.ofSeconds(20),
                () -> {
                  try {
                    session.ptys().terminateAll();
                    return true;
                  } catch (SandboxException busy) {
                    assertThat(busy.code()).isEqualTo(ErrorCode.TERMINATION_UNCONFIRMED);
                    return false;
                  }
                }))
        .isTrue();
  }

  static Duration timed(Callable<?> work) throws Exception {
    long begin = System.nanoTime();
    Object unused = work.call();
    return Duration.ofNanos(System.nanoTime() - begin);
  }

  /** Threads of sessions. */
  static List<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.matches("sandbox-[0-9a-f]{8}-.*"))
        .toList();
  }

  /** Open sockets of this JVM. */
  static long sockets() throws Exception {
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      return open.filter(DockerFixture::isSocket).count();
    }
  }

  private static boolean isSocket(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString().startsWith("socket:");
    } catch (java.io.IOException gone) {
      return false;
    }
  }

  /** Containers with this label that exist. */
  static int labelled(String label) throws InterruptedException {
    return engine()
        .call(
            seconds(20),
            client ->
                client.listContainersCmd().withShowAll(true).withLabelFilter(List.of(label)).exec())
        .size();
  }
}
