package io.sandboxspi.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.SandboxEvent;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.docker.FaultProxy.Action;
import io.sandboxspi.docker.FaultProxy.Fault;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.Deadline;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Making a container on a real engine: what is made, what is refused, and what a failure leaves.
 */
class ContainerMakingTest {
  private static final String PROGRESS =
      "{\"status\":\"Pulling from x\",\"id\":\"latest\"}\n"
          + "{\"status\":\"Downloading\",\"progressDetail\":{\"current\":1,\"total\":2},\"id\":\"a\"}\n";

  private final String label = "test.making=" + UUID.randomUUID();
  private FaultProxy proxy;

  @BeforeEach
  void relay() throws Exception {
    TestEngine.need(TestEngine.BUSYBOX);
    proxy = FaultProxy.unix(TestEngine.socket());
  }

  @AfterEach
  void close() throws Exception {
    proxy.close();
    assertThat(DockerFixture.labelled(label)).isZero();
  }

  private SandboxSession open(String... options) throws Exception {
    Map<String, String> all = new HashMap<>(Map.of("host", proxy.address(), "labels", label));
    for (int i = 0; i < options.length; i += 2) {
      all.put(options[i], options[i + 1]);
    }
    return DockerFixture.open(all);
  }

  private SandboxException fails(ErrorCode code, String... options) {
    SandboxException[] seen = new SandboxException[1];
    assertThatThrownBy(() -> open(options).close())
        .isInstanceOfSatisfying(SandboxException.class, e -> seen[0] = e);
    assertThat(seen[0].code()).as("%s", seen[0].getMessage()).isEqualTo(code);
    return seen[0];
  }

  private boolean asked(String request) {
    return proxy.requests().stream().anyMatch(line -> line.matches(request));
  }

  @Test
  void anUnknownImageIsSaidBeforeAnythingIsMade() {
    SandboxException e =
        fails(ErrorCode.CREATE_FAILED, "image", "sandbox-test:absent", "pull", "never");
    assertThat(e).hasMessageContaining("sandbox-test:absent").hasMessageContaining("pull=never");
    assertThat(e.context()).containsEntry("image", "sandbox-test:absent");
    assertThat(asked("POST .*")).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "memory,1",
    "ports,70000",
    "workspace,here",
    "binds,/etc:/data",
    "ports,8080",
    "user,a b",
    "pull,often"
  })
  void whatIsBadIsRefusedBeforeTheEngineIsAsked(String name, String value) {
    SandboxException e = fails(ErrorCode.INVALID_ARGUMENT, name, value);
    assertThat(e.context()).containsEntry("field", name);
    assertThat(proxy.requests()).isEmpty();
  }

  /** Whatever fails after the container was made: it is removed, and the failure is the first. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "POST .*/containers/[^/]*/start",
        "PUT .*/containers/[^/]*/archive",
        "POST /containers/[^/]*/exec",
        "POST /exec/[^/]*/start"
      })
  void aFailureAfterTheCreationRemovesWhatWasMade(String request) {
    Fault fault = proxy.answer(request, 500, "{\"message\":\"broken on purpose\"}");
    SandboxException e = fails(ErrorCode.CREATE_FAILED);
    assertThat(fault.met()).isTrue();
    assertThat(e).hasMessageContaining("broken on purpose");
    assertThat(asked("DELETE .*/containers/.*")).isTrue();
  }

  /** The engine makes it, but its answer never comes: it is found by its name, and removed. */
  @ParameterizedTest
  @ValueSource(strings = {"POST .*/containers/create", "POST .*/containers/[^/]*/start"})
  void aCreationWithoutAnAnswerLeavesNothing(String request) throws Exception {
    Fault fault = proxy.on(request, Action.STALL_ANSWER, 0);
    Map<String, String> options =
        Map.of(
            "image",
            TestEngine.BUSYBOX,
            "network",
            "none",
            "labels",
            label,
            "host",
            proxy.address());
    BackendRequest unanswered =
        new BackendRequest("making-" + UUID.randomUUID().toString().substring(0, 8), options);
    assertThat(
            DockerFixture.timed(
                () -> {
                  assertThatThrownBy(
                          () ->
                              new DockerProvider()
                                  .create(unanswered, Deadline.after(Duration.ofSeconds(2))))
                      .isInstanceOfSatisfying(
                          SandboxException.class,
                          e -> assertThat(e.code()).isEqualTo(ErrorCode.BACKEND_UNRESPONSIVE));
                  return true;
                }))
        .isLessThan(Duration.ofSeconds(14));
    assertThat(fault.met()).isTrue();
  }

  // Volumes

  /** A volume with a name is made with our marks and stays; one without goes with the container. */
  @Test
  void volumesWithANameStayAndOthersGo() throws Exception {
    String name = "sandbox-test-" + UUID.randomUUID();
    String volumes = name + ":/data,:/workspace";
    try {
      for (int i = 0; i < 2; i++) {
        try (SandboxSession session = open("volumes", volumes, "user", "1000:1000")) {
          assertThat(DockerFixture.output(session, "echo " + i + " > /workspace/own; cat own"))
              .isEqualTo(i + "\n");
          // New ones belong to root: nothing is changed in a volume that others use.
          assertThat(DockerFixture.output(session, "ls -ld /data | cut -c1-3")).isEqualTo("drw\n");
          assertThat(ours()).hasSize(2);
          Map<String, String> marks =
              DockerFixture.engine()
                  .call(
                      DockerFixture.seconds(20),
                      client -> client.inspectVolumeCmd(name).exec().getLabels());
          assertThat(marks).containsKeys(Labels.SESSION, Labels.OWNER, Labels.CREATED);
        }
        assertThat(ours()).containsExactly(name);
      }
    } finally {
      DockerFixture.tell(client -> client.removeVolumeCmd(name).exec());
    }
  }

  private List<String> ours() throws Exception {
    return DockerFixture.engine()
        .call(
            DockerFixture.seconds(20),
            client ->
                client
                    .listVolumesCmd()
                    .withFilter("label", List.of(label))
                    .exec()
                    .getVolumes()
                    .stream()
                    .map(volume -> volume.getName())
                    .toList());
  }

  // Images

  @Test
  void anImageThatIsThereIsNotPulled() throws Exception {
    try (SandboxSession session = open("pull", "missing")) {
      assertThat(DockerFixture.output(session, "echo here")).isEqualTo("here\n");
    }
    assertThat(asked("POST .*/images/create.*")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"missing", "always"})
  @Tag("S-EVT-06")
  void anImageIsPulledAsThePolicySays(String policy) throws Exception {
    if (policy.equals("missing")) {
      Fault unused = proxy.answer("GET .*/images/", 404, "{\"message\":\"No such image\"}");
    }
    Fault pull = proxy.answer("POST .*/images/create", 200, PROGRESS);
    List<SandboxEvent> events = new CopyOnWriteArrayList<>();
    Map<String, String> options = Map.of("host", proxy.address(), "labels", label, "pull", policy);
    try (SandboxSession session = DockerFixture.open(options, spec -> spec.listener(events::add))) {
      assertThat(DockerFixture.output(session, "echo here")).isEqualTo("here\n");
    }
    assertThat(pull.met()).isTrue();
    assertThat(events)
        .filteredOn(SandboxEvent.Progress.class::isInstance)
        .extracting(event -> ((SandboxEvent.Progress) event).detail())
        .containsExactly(
            "pulling sandbox-test:busybox: latest: Pulling from x",
            "pulling sandbox-test:busybox: a: Downloading, 50 %");
    assertThat(asked("POST .*/images/create\\?.*fromImage=sandbox-test(:|%3A)busybox.*")).isTrue();
  }

  /** The engine says so in the stream of an answer that began well. */
  @Test
  void aPullThatFailsIsOneClearError() {
    Fault unused =
        proxy.answer(
            "POST .*/images/create",
            200,
            PROGRESS
                + "{\"errorDetail\":{\"message\":\"manifest unknown\"},\"error\":\"manifest unknown\"}\n");
    SandboxException e = fails(ErrorCode.CREATE_FAILED, "pull", "always");
    assertThat(e).hasMessageContaining("cannot be pulled").hasMessageContaining("manifest unknown");
    assertThat(asked("POST .*/containers/create.*")).isFalse();
  }

  @Test
  void aRegistryThatIsNotThereIsOneClearError() {
    SandboxException e =
        fails(ErrorCode.CREATE_FAILED, "image", "127.0.0.1:1/absent", "pull", "missing");
    assertThat(e)
        .hasMessageContaining("127.0.0.1:1/absent")
        .hasMessageContaining("cannot be pulled");
    assertThat(asked("POST .*/containers/create.*")).isFalse();
  }

  @Test
  void aPullThatStallsIsBounded() throws Exception {
    Fault fault = proxy.on("POST .*/images/create", Action.STALL_REQUEST, 0);
    BackendRequest request =
        new BackendRequest(
            "stalled-pull",
            Map.of("image", TestEngine.BUSYBOX, "pull", "always", "host", proxy.address()));
    assertThat(
            DockerFixture.timed(
                () -> {
                  assertThatThrownBy(
                          () ->
                              new DockerProvider()
                                  .create(request, Deadline.after(Duration.ofSeconds(1))))
                      .isInstanceOfSatisfying(
                          SandboxException.class,
                          e -> assertThat(e.code()).isEqualTo(ErrorCode.BACKEND_UNRESPONSIVE));
                  return true;
                }))
        .isLessThan(Duration.ofSeconds(5));
    assertThat(fault.met()).isTrue();
  }

  // What a container has

  @Test
  void portsArePublishedOnThisMachineOnly() throws Exception {
    try (SandboxSession session = open("network", "default", "ports", "8080")) {
      var ports =
          DockerFixture.engine()
              .call(
                  DockerFixture.seconds(10),
                  client ->
                      client
                          .inspectContainerCmd(DockerFixture.container(session))
                          .exec()
                          .getNetworkSettings()
                          .getPorts()
                          .getBindings());
      assertThat(ports).hasSize(1);
      var binding = ports.values().iterator().next()[0];
      assertThat(binding.getHostIp()).isEqualTo("127.0.0.1");
      try (var server = session.start(io.sandboxspi.Command.shell("echo served | nc -l -p 8080"))) {
        assertThat(
                DockerFixture.until(
                    Duration.ofSeconds(15),
                    () -> read(Integer.parseInt(binding.getHostPortSpec())).equals("served\n")))
            .isTrue();
      }
    }
  }

  private static String read(int port) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        InputStream in = socket.getInputStream()) {
      socket.setSoTimeout(2000);
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (java.io.IOException notYet) {
      return "";
    }
  }

  @Test
  void bindsAreThereAndReadOnlyOnesCannotBeWritten(@TempDir Path root) throws Exception {
    Path data = Files.createDirectory(root.resolve("data"));
    Path fixed = Files.createDirectory(root.resolve("fixed"));
    Files.writeString(fixed.resolve("f"), "kept");
    System.setProperty(DockerOptions.BIND_ROOTS, root.toString());
    try (SandboxSession session =
        open("binds", data + ":/data," + fixed + ":/fixed:ro", "tmpfs", "/scratch:1m")) {
      assertThat(
              DockerFixture.output(
                  session,
                  "echo in > /data/new; cat /fixed/f; echo x 2>/dev/null > /fixed/f || echo no;"
                      + " df -k /scratch | tail -n 1 | tr -s ' ' | cut -d' ' -f2"))
          .isEqualTo("keptno\n1024\n");
      assertThat(data.resolve("new")).hasContent("in\n");
    } finally {
      System.clearProperty(DockerOptions.BIND_ROOTS);
    }
  }

  @Test
  void limitsAndLabelsAreTheEngines() throws Exception {
    String machine = System.getProperty("os.arch").equals("aarch64") ? "arm64" : "amd64";
    try (SandboxSession session =
        open(
            "memory",
            "64m",
            "cpus",
            "0.5",
            "pids",
            "100",
            "runtime",
            "runc",
            "capabilities",
            "KILL,CHOWN",
            "no-new-privileges",
            "false",
            "platform",
            "linux/" + machine)) {
      var made =
          DockerFixture.engine()
              .call(
                  DockerFixture.seconds(10),
                  client -> client.inspectContainerCmd(DockerFixture.container(session)).exec());
      assertThat(made.getHostConfig().getMemory()).isEqualTo(64L << 20);
      assertThat(made.getHostConfig().getNanoCPUs()).isEqualTo(500_000_000L);
      assertThat(made.getHostConfig().getPidsLimit()).isEqualTo(100);
      assertThat(made.getConfig().getLabels())
          .containsKeys(Labels.SESSION, Labels.OWNER, Labels.CREATED);
      assertThat(List.of(made.getHostConfig().getPrivileged())).containsExactly(false);
      assertThat(made.getHostConfig().getRuntime()).isEqualTo("runc");
      // KILL and CHOWN are the bits 5 and 0.
      assertThat(DockerFixture.output(session, "grep -E '^(CapEff|NoNewPrivs)' /proc/self/status"))
          .isEqualTo("CapEff:\t0000000000000021\nNoNewPrivs:\t0\n");
    }
  }
}
