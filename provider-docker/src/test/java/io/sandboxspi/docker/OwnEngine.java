package io.sandboxspi.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import io.sandboxspi.docker.engine.Engine;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/**
 * An engine of one test, which is killed and started again as the test likes. Needs root and {@code
 * dockerd}; without a network of its own.
 */
final class OwnEngine implements AutoCloseable {
  private final Path directory;
  private Process daemon;

  /** Starts one whose containers outlive it; its files are below the directory. */
  OwnEngine(Path directory) throws Exception {
    String missing = missing();
    if (!missing.isEmpty()) {
      if (System.getenv("SANDBOX_CI") != null) {
        fail(missing);
      }
      Assumptions.abort(missing);
    }
    this.directory = directory;
    this.daemon = begin(true);
  }

  private static String missing() throws IOException, InterruptedException {
    if (!"root".equals(System.getProperty("user.name"))) {
      return "needs root, to start an engine";
    }
    Process which =
        new ProcessBuilder("sh", "-c", "command -v dockerd && command -v unshare").start();
    return which.waitFor() == 0 ? "" : "needs dockerd and unshare";
  }

  String address() {
    return "unix://" + directory.resolve("s");
  }

  private Engine engine() {
    return Engine.resolve(Optional.of(address()));
  }

  /**
   * Starts it.
   *
   * @param live whether containers outlive the engine, and are taken over
   */
  void start(boolean live) throws Exception {
    daemon = begin(live);
  }

  private Process begin(boolean live) throws Exception {
    List<String> argv =
        new ArrayList<>(
            List.of(
                // One without a bridge removes the bridge that another one made.
                "unshare",
                "--net",
                "dockerd",
                "--host=" + address(),
                "--data-root=" + directory.resolve("data"),
                "--exec-root=" + directory.resolve("exec"),
                "--pidfile=" + directory.resolve("pid"),
                "--bridge=none",
                "--iptables=false",
                "--ip6tables=false"));
    if (live) {
      argv.add("--live-restore");
    }
    Process begun =
        new ProcessBuilder(argv)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(directory.resolve("log").toFile()))
            .start();
    boolean answers = false;
    try {
      answers = DockerFixture.until(Duration.ofSeconds(30), this::answers);
    } finally {
      if (!answers) {
        begun.destroyForcibly();
      }
    }
    // The directory goes with a failure.
    assertThat(answers)
        .as("the engine says: %s", Files.readString(directory.resolve("log")))
        .isTrue();
    return begun;
  }

  private boolean answers() throws InterruptedException {
    try {
      return engine()
          .call(
              DockerFixture.seconds(5),
              client -> {
                client.pingCmd().exec();
                return true;
              });
    } catch (RuntimeException notYet) {
      return false;
    }
  }

  /** Copies an image from the engine under test. */
  void load(String image) throws InterruptedException {
    boolean unused =
        DockerFixture.engine()
            .call(
                DockerFixture.seconds(30),
                from -> {
                  try (InputStream in = from.saveImageCmd(image).exec()) {
                    return engine()
                        .call(
                            DockerFixture.seconds(30),
                            to -> {
                              to.loadImageCmd(in).exec();
                              return true;
                            });
                  } catch (InterruptedException e) {
                    throw new IOException(e);
                  }
                });
  }

  /** Ends it at once, without a word to anybody. */
  void kill() throws Exception {
    daemon.destroyForcibly();
    assertThat(daemon.waitFor(10, TimeUnit.SECONDS)).isTrue();
    // Its child dies with it, but not every machine's first process notices; the next would wait.
    Files.deleteIfExists(directory.resolve("exec/containerd/containerd.pid"));
  }

  /** Asks it to end. */
  void stop() throws Exception {
    daemon.destroy();
    assertThat(daemon.waitFor(30, TimeUnit.SECONDS)).isTrue();
  }

  /** With its containers, also those that outlived it; whatever fails, it does not live on. */
  @Override
  public void close() throws Exception {
    try {
      end();
    } finally {
      daemon.destroyForcibly();
    }
  }

  private void end() throws Exception {
    if (!daemon.isAlive()) {
      start(false);
    }
    boolean unused =
        engine()
            .call(
                DockerFixture.seconds(20),
                client -> {
                  client
                      .listContainersCmd()
                      .withShowAll(true)
                      .exec()
                      .forEach(
                          each -> client.removeContainerCmd(each.getId()).withForce(true).exec());
                  return true;
                });
    stop();
  }
}
