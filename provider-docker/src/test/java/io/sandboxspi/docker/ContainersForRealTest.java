package io.sandboxspi.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sandboxspi.Command;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExecResult;
import io.sandboxspi.ExitStatus;
import io.sandboxspi.RunningCommand;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxSession;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What public bug reports say of containers, on a real engine. */
class ContainersForRealTest {
  @BeforeEach
  void engine() {
    TestEngine.need(TestEngine.BUSYBOX);
  }

  private static void removed(String container) throws Exception {
    assertThat(
            new Containers(DockerFixture.engine())
                .describe(container, DockerFixture.seconds(10))
                .state())
        .isEqualTo(Containers.State.GONE);
  }

  /** moby#53614: a flood that nobody reads is killed, and the container is removed, in seconds. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void B_53614_aFloodThatNobodyReadsWedgesNothing(boolean killed) throws Exception {
    SandboxSession session = DockerFixture.open(Map.of());
    String container = DockerFixture.container(session);
    RunningCommand flood = session.start(Command.shell("yes").streaming());
    // Long enough to fill every buffer on the way.
    assertThat(flood.await(Duration.ofSeconds(1))).isEmpty();
    if (killed) {
      assertThat(DockerFixture.timed(() -> closed(flood))).isLessThan(Duration.ofSeconds(8));
      assertThat(DockerFixture.output(session, "echo usable")).isEqualTo("usable\n");
    }
    assertThat(DockerFixture.timed(() -> closed(session))).isLessThan(Duration.ofSeconds(10));
    removed(container);
  }

  private static boolean closed(AutoCloseable closeable) throws Exception {
    closeable.close();
    return true;
  }

  /** A process that ends while its output waits for a reader: others go on, and nothing is lost. */
  @Test
  void aProcessThatEndsUnreadKeepsNobodyWaiting() throws Exception {
    try (SandboxSession session = DockerFixture.open(Map.of())) {
      for (int size : new int[] {300_000, 450_000, 520_000}) {
        RunningCommand unread =
            session.start(Command.shell("head -c " + size + " /dev/zero").streaming());
        assertThat(unread.await(Duration.ofSeconds(1))).isEmpty();
        assertThat(DockerFixture.timed(() -> DockerFixture.output(session, "echo usable")))
            .as("a command beside one with %d unread bytes", size)
            .isLessThan(Duration.ofSeconds(5));
        try (InputStream out = unread.stdout()) {
          assertThat(out.readAllBytes()).hasSize(size);
        }
        assertThat(unread.await(Duration.ofSeconds(10)).orElseThrow().status())
            .isEqualTo(new ExitStatus.Exited(0));
      }
    }
  }

  /** Orphans are reaped. */
  @ParameterizedTest
  @CsvSource({
    "sandbox-test:busybox,false",
    "sandbox-test:debian,false",
    "sandbox-test:busybox,true"
  })
  void B71_orphansAreReaped(String image, String init) throws Exception {
    TestEngine.need(image);
    try (SandboxSession session = DockerFixture.open(Map.of("image", image, "init", init))) {
      String orphans = "i=0; while [ $i -lt 200 ]; do (sleep 1 &); i=$((i+1)); done; sleep 2";
      assertThat(session.exec(Command.shell(orphans)).successful()).isTrue();
      assertThat(DockerFixture.output(session, "cat /proc/[0-9]*/stat | grep -c ') Z '"))
          .isEqualTo("0\n");
    }
  }

  /** Every short command's output comes back, one after another and eight at once. */
  @Test
  void B04_shortCommandsLoseNothing() throws Exception {
    try (SandboxSession session = DockerFixture.open(Map.of())) {
      List<Callable<String>> calls = new ArrayList<>();
      List<String> expected = new ArrayList<>();
      for (int i = 0; i < 120; i++) {
        String text = "marker-" + i;
        expected.add(text + "\n");
        calls.add(() -> DockerFixture.output(session, "echo " + text));
      }
      ExecutorService threads = Executors.newFixedThreadPool(8);
      try {
        List<String> seen = new ArrayList<>();
        for (Future<String> each : threads.invokeAll(calls)) {
          seen.add(each.get());
        }
        assertThat(seen).isEqualTo(expected);
      } finally {
        threads.shutdownNow();
      }
    }
  }

  /** A code is read when there is one. */
  @Test
  void B41_codesAreRightWhenManyEndAtOnce() throws Exception {
    try (SandboxSession session = DockerFixture.open(Map.of())) {
      List<Callable<ExitStatus>> calls = new ArrayList<>();
      for (int i = 0; i < 64; i++) {
        calls.add(() -> session.exec(Command.shell("exit 7")).status());
      }
      ExecutorService threads = Executors.newFixedThreadPool(16);
      try {
        for (Future<ExitStatus> each : threads.invokeAll(calls)) {
          assertThat(each.get()).isEqualTo(new ExitStatus.Exited(7));
        }
      } finally {
        threads.shutdownNow();
      }
    }
  }

  /** Large files go and come whole, as the sandbox's user, and a change keeps the mode. */
  @ParameterizedTest
  @CsvSource({"sandbox-test:busybox,1000:1000", "sandbox-test:debian,sandbox"})
  void B60_largeFilesComeBackAndBelongToTheUser(String image, String user) throws Exception {
    TestEngine.need(image);
    byte[] content = new byte[12_000_000];
    for (int i = 0; i < content.length; i++) {
      content[i] = (byte) (i * 13 + i / 257);
    }
    try (SandboxSession session = DockerFixture.open(Map.of("image", image, "user", user))) {
      session.files().write("d/large", new ByteArrayInputStream(content));
      assertThat(session.files().read("d/large")).isEqualTo(content);
      try (InputStream in = session.files().open("d/large")) {
        // Left early: what reads it in the sandbox must not stay.
        assertThat(in.readNBytes(10)).hasSize(10);
      }
      assertThat(DockerFixture.output(session, "stat -c '%a %u' d/large; id -u"))
          .isEqualTo("644 1000\n1000\n");
      session.files().write("run.sh", "#!/bin/sh\necho one\n".getBytes(StandardCharsets.UTF_8));
      assertThat(DockerFixture.output(session, "chmod 0755 run.sh; ./run.sh")).isEqualTo("one\n");
      session.files().write("run.sh", "#!/bin/sh\necho two\n".getBytes(StandardCharsets.UTF_8));
      assertThat(DockerFixture.output(session, "./run.sh")).isEqualTo("two\n");
      assertThat(session.files().stat("run.sh").permissions()).isEqualTo("0755");
      assertThat(DockerFixture.output(session, "ls -A . d")).doesNotContain(".part");
      // The one that reads this list.
      assertThat(DockerFixture.output(session, "cat /proc/[0-9]*/comm | grep -c '^cat$'"))
          .isEqualTo("1\n");
    }
  }

  @Test
  void aReadOnlyRootHasAWorkspaceAllTheSame() throws Exception {
    try (SandboxSession session =
        DockerFixture.open(
            Map.of("read-only", "true", "memory", "64m", "cpus", "0.5", "pids", "200"))) {
      session.files().write("f", new byte[] {'x'});
      assertThat(DockerFixture.output(session, "cat f; echo y > /etc/y 2>/dev/null || echo no"))
          .isEqualTo("xno\n");
    }
  }

  @Test
  void networkNoneHasNoneAndPrivilegesCannotBeGained() throws Exception {
    try (SandboxSession session = DockerFixture.open(Map.of())) {
      assertThat(DockerFixture.output(session, "ls /sys/class/net")).isEqualTo("lo\n");
      assertThat(DockerFixture.output(session, "grep NoNewPrivs /proc/self/status")).contains("1");
      assertThat(DockerFixture.output(session, "mount -t tmpfs none /mnt 2>/dev/null || echo no"))
          .isEqualTo("no\n");
    }
  }

  /** An image that cannot work says what it lacks, and leaves no container. */
  @Test
  void anImageWithoutAShellSaysSo() throws Exception {
    TestEngine.need(TestEngine.EMPTY);
    String label = "test.empty=" + UUID.randomUUID();
    assertThatThrownBy(() -> DockerFixture.open(Map.of("image", TestEngine.EMPTY, "labels", label)))
        .isInstanceOfSatisfying(
            SandboxException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.CREATE_FAILED);
              assertThat(e.getMessage()).contains("/bin/sh");
            });
    assertThat(DockerFixture.labelled(label)).isZero();
  }

  /** Daemons, jobs and sessions of their own die with their command; a timeout says so. */
  @Test
  void B07_aTimeoutEndsTheTreeInTheContainer() throws Exception {
    try (SandboxSession session = DockerFixture.open(Map.of())) {
      assertThatThrownBy(
              () ->
                  session.exec(
                      Command.shell("sleep 300 & setsid sleep 301 & sleep 302")
                          .timeout(Duration.ofSeconds(1))))
          .isInstanceOfSatisfying(
              SandboxException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.EXEC_TIMEOUT));
      ExecResult left = session.exec(Command.shell("ps | grep -c 'sleep 30[012]$'"));
      assertThat(left.stdout().text()).isEqualTo("0\n");
    }
  }
}
