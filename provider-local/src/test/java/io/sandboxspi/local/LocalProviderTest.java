package io.sandboxspi.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sandboxspi.Endpoint;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExitStatus;
import io.sandboxspi.SandboxException;
import io.sandboxspi.TerminalSize;
import io.sandboxspi.local.driver.PtyDrivers;
import io.sandboxspi.spi.BackendRef;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.LaunchId;
import io.sandboxspi.spi.LaunchRequest;
import io.sandboxspi.spi.Liveness;
import io.sandboxspi.spi.OutputChannel;
import io.sandboxspi.spi.ProcessListener;
import io.sandboxspi.spi.ReleaseOutcome;
import io.sandboxspi.spi.SandboxBackend;
import io.sandboxspi.spi.SandboxProcess;
import io.sandboxspi.spi.TerminationOutcome;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LocalProviderTest {
  private static final Map<String, String> HOST =
      Map.of("PATH", System.getenv("PATH"), "SECRET", "canary", "WANTED", "yes");

  @TempDir Path temporary;

  private final LocalProvider provider = new LocalProvider(HOST);
  private final List<SandboxBackend> backends = new ArrayList<>();

  /** What a process did. */
  private static final class Result implements ProcessListener {
    private final StringBuilder output = new StringBuilder();
    private final CompletableFuture<ExitStatus> exit = new CompletableFuture<>();
    private final CompletableFuture<String> closed = new CompletableFuture<>();

    @Override
    public synchronized boolean onOutput(OutputChannel channel, ByteBuffer bytes) {
      output.append(StandardCharsets.UTF_8.decode(bytes));
      return true;
    }

    @Override
    public synchronized void onOutputClosed() {
      closed.complete(output.toString());
    }

    @Override
    public void onExit(ExitStatus status) {
      exit.complete(status);
    }

    String text() throws Exception {
      exit.get(20, TimeUnit.SECONDS);
      return closed.get(20, TimeUnit.SECONDS);
    }
  }

  @AfterEach
  void deleteAll() throws Exception {
    for (SandboxBackend backend : backends) {
      backend.release(soon());
      provider.delete(backend.ref(), soon());
    }
  }

  private static Deadline soon() {
    return Deadline.after(Duration.ofSeconds(20));
  }

  private SandboxBackend create(Map<String, String> options) {
    SandboxBackend backend = provider.create(new BackendRequest("test-session", options), soon());
    backends.add(backend);
    return backend;
  }

  private static LaunchRequest request(Optional<TerminalSize> terminal, String... argv) {
    return new LaunchRequest(
        LaunchId.random(), List.of(argv), Map.of(), Optional.empty(), terminal, false);
  }

  private static LaunchRequest shell(String script) {
    return request(Optional.empty(), "sh", "-c", script);
  }

  private static String run(SandboxBackend backend, LaunchRequest request) throws Exception {
    Result result = new Result();
    SandboxProcess process = backend.launch(request, result, soon());
    String text = result.text();
    backend.kill(request.id(), soon());
    process.release();
    return text;
  }

  private static Path workspace(SandboxBackend backend) {
    return Path.of(backend.files().workspace());
  }

  private static void assertCode(ErrorCode code, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(SandboxException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  @Test
  @Tag("S-LOCAL-01")
  void theEnvironmentIsMinimal() throws Exception {
    SandboxBackend backend = create(Map.of());
    LaunchRequest plain = request(Optional.empty(), "/usr/bin/env");
    String home = workspace(backend).toString();
    assertThat(run(backend, plain).lines())
        .containsExactlyInAnyOrder(
            "PATH=" + HOST.get("PATH"),
            "HOME=" + home,
            "TMPDIR=" + workspace(backend).resolveSibling("tmp"),
            "LANG=C.UTF-8",
            "LC_ALL=C.UTF-8",
            "SANDBOX_PROCESS=" + plain.id());
    LaunchRequest terminal = request(Optional.of(TerminalSize.DEFAULT), "/usr/bin/env");
    assertThat(run(backend, terminal)).contains("TERM=xterm-256color").doesNotContain("canary");
  }

  @Test
  @Tag("S-LOCAL-01")
  void namedHostVariablesAndTheCallersWin() throws Exception {
    SandboxBackend backend = create(Map.of("inherit", "WANTED,MISSING"));
    LaunchRequest request =
        new LaunchRequest(
            LaunchId.random(),
            List.of("/usr/bin/env"),
            Map.of("TERM", "dumb", "LANG", "de_DE.UTF-8", "SANDBOX_PROCESS", "forged"),
            Optional.empty(),
            Optional.of(TerminalSize.DEFAULT),
            true);
    assertThat(run(backend, request))
        .contains("WANTED=yes", "TERM=dumb", "LANG=de_DE", "SANDBOX_PROCESS=" + request.id())
        .doesNotContain("MISSING", "canary", "LC_ALL", "forged");
  }

  @Test
  @Tag("S-LOCAL-02")
  void aFreshWorkspaceIsPrivateAndRemoved() throws Exception {
    SandboxBackend backend = create(Map.of());
    Path base = workspace(backend).getParent();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(base)))
        .isEqualTo("rwx------");
    assertThat(run(backend, shell("pwd; touch f; mktemp >/dev/null; cd $HOME; pwd")))
        .isEqualTo((workspace(backend) + "\n").repeat(2));
    assertThat(backend.probe(soon())).isEqualTo(Liveness.RUNNING);
    backend.release(soon());
    assertThat(workspace(backend).resolve("f")).exists();
    assertThat(provider.delete(backend.ref(), soon())).isEqualTo(ReleaseOutcome.DESTROYED);
    assertThat(base).doesNotExist();
    assertThat(provider.delete(backend.ref(), soon())).isEqualTo(ReleaseOutcome.ALREADY_GONE);
    assertThat(backend.probe(soon())).isEqualTo(Liveness.GONE);
  }

  @Test
  @Tag("S-LOCAL-02")
  void aCallersWorkspaceIsNeverRemoved() throws Exception {
    Files.writeString(temporary.resolve("mine"), "x");
    SandboxBackend backend = create(Map.of("workspace", temporary.toString()));
    String text = run(backend, shell("cat mine; touch new; echo $TMPDIR"));
    Path tmp = Path.of(text.substring(1).strip());
    assertThat(tmp).exists();
    backend.release(soon());
    provider.delete(backend.ref(), soon());
    assertThat(temporary.resolve("mine")).exists();
    assertThat(temporary.resolve("new")).exists();
    assertThat(tmp.getParent()).doesNotExist();
  }

  @Test
  @Tag("S-LOCAL-02")
  void aForgedReferenceRemovesNothing() throws Exception {
    Path victim = Files.createDirectory(temporary.resolve("sandbox-victim"));
    Files.createDirectory(victim.resolve("workspace"));
    BackendRef forged =
        new BackendRef(
            "local",
            Map.of("base", victim.toString(), "workspace", victim.toString(), "owned", "true"));
    assertThat(provider.delete(forged, soon())).isEqualTo(ReleaseOutcome.ALREADY_GONE);
    assertThat(victim.resolve("workspace")).exists();
  }

  @Test
  void aBackendIsAttachedToAgain() throws Exception {
    SandboxBackend first = create(Map.of("inherit", "WANTED"));
    run(first, shell("echo kept > f"));
    first.release(soon());
    SandboxBackend second = provider.attach(first.ref(), soon());
    assertThat(run(second, shell("cat f; echo $WANTED; mktemp"))).startsWith("kept\nyes\n/");
    second.release(soon());
    provider.delete(second.ref(), soon());
    assertCode(ErrorCode.BACKEND_GONE, () -> provider.attach(first.ref(), soon()));
  }

  @Test
  @Tag("S-VAL-02")
  void badOptionsAreRefusedBeforeAnythingIsMade() {
    for (Map<String, String> options :
        List.of(
            Map.of("nonsense", "x"),
            Map.of("isolation", "total"),
            Map.of("workspace", "relative"),
            Map.of("workspace", "/no/such/dir"),
            Map.of("base", "relative"),
            Map.of("ports", "0"),
            Map.of("ports", "65536"),
            Map.of("ports", "80,,81"),
            Map.of("ports", "80", "isolation", "namespaces"),
            Map.of("inherit", "A=B"))) {
      assertCode(ErrorCode.INVALID_ARGUMENT, () -> create(options));
    }
    assertThatThrownBy(() -> create(Map.of("nonsense", "x")))
        .hasMessageContaining("base, inherit, isolation, ports, workspace");
    assertThat(backends).isEmpty();
  }

  @Test
  @Tag("S-LOCAL-07")
  void declaredPortsAreTheHosts() throws Exception {
    SandboxBackend backend = create(Map.of("ports", "8081,8080,8081"));
    assertThat(backend.ports()).containsExactlyInAnyOrder(8080, 8081);
    assertThat(backend.endpoint(8080, soon())).isEqualTo(Endpoint.plain("127.0.0.1", 8080));
    backend.detach(soon());
    assertThat(provider.attach(backend.ref(), soon()).ports()).hasSize(2);
  }

  @Test
  @Tag("S-LOCAL-02")
  void aWorkspaceIsMadeWhereTheCallerSays(@TempDir Path base) throws Exception {
    SandboxBackend backend = create(Map.of("base", base.toString()));
    assertThat(workspace(backend)).startsWith(base.toRealPath());
    backend.release(soon());
    assertThat(provider.delete(backend.ref(), soon())).isEqualTo(ReleaseOutcome.DESTROYED);
    assertThat(base).isEmptyDirectory();
  }

  @Test
  @Tag("S-EXEC-06")
  void failedStartsAreTyped() throws Exception {
    SandboxBackend backend = create(Map.of());
    Path file = Files.writeString(workspace(backend).resolve("noexec"), "x");
    Result result = new Result();
    assertCode(
        ErrorCode.COMMAND_NOT_FOUND,
        () -> backend.launch(request(Optional.empty(), "nosuchcmd_zz"), result, soon()));
    assertCode(
        ErrorCode.COMMAND_NOT_EXECUTABLE,
        () -> backend.launch(request(Optional.empty(), file.toString()), result, soon()));
    LaunchRequest noDirectory =
        new LaunchRequest(
            LaunchId.random(),
            List.of("true"),
            Map.of(),
            Optional.of("no/such"),
            Optional.empty(),
            false);
    assertCode(
        ErrorCode.WORKING_DIRECTORY_NOT_FOUND, () -> backend.launch(noDirectory, result, soon()));
    assertThat(backend.kill(noDirectory.id(), soon())).isEqualTo(TerminationOutcome.alreadyGone());
  }

  @Test
  @Tag("S-SPI-03")
  void aKilledIdNeverStarts() throws Exception {
    SandboxBackend backend = create(Map.of());
    LaunchRequest request = shell("touch started");
    assertThat(backend.kill(request.id(), soon())).isEqualTo(TerminationOutcome.alreadyGone());
    assertCode(ErrorCode.LAUNCH_FAILED, () -> backend.launch(request, new Result(), soon()));
    assertThat(workspace(backend).resolve("started")).doesNotExist();
  }

  @Test
  @Tag("S-SPI-03")
  void aKillThatRacesItsLaunchLeavesNothing() throws Exception {
    SandboxBackend backend = create(Map.of());
    for (int i = 0; i < 100; i++) {
      LaunchRequest request = shell("sleep 100");
      CompletableFuture<TerminationOutcome> kill = new CompletableFuture<>();
      Thread killer =
          new Thread(
              () -> {
                try {
                  kill.complete(backend.kill(request.id(), soon()));
                } catch (InterruptedException | RuntimeException e) {
                  kill.completeExceptionally(e);
                }
              });
      killer.start();
      Optional<SandboxProcess> process = Optional.empty();
      Result result = new Result();
      try {
        process = Optional.of(backend.launch(request, result, soon()));
      } catch (SandboxException killed) {
        assertThat(killed.code()).isEqualTo(ErrorCode.LAUNCH_FAILED);
      }
      assertThat(kill.get(20, TimeUnit.SECONDS).proven()).isTrue();
      assertThat(backend.kill(request.id(), soon())).isEqualTo(TerminationOutcome.alreadyGone());
      if (process.isPresent()) {
        assertThat(result.exit.get(10, TimeUnit.SECONDS)).isEqualTo(new ExitStatus.Signalled(9));
        process.get().release();
      }
      killer.join();
    }
  }

  @Test
  @Tag("S-SPI-02")
  void everyLaunchHasItsOwnSessionAndGroup() throws Exception {
    SandboxBackend backend = create(Map.of());
    String[] ids = run(backend, shell("ps -o pid=,pgid=,sid= $$")).trim().split("\\s+");
    assertThat(ids).hasSize(3).containsOnly(ids[0]);
  }

  @Test
  void aReleaseEndsWhatIsLeftAndRefusesMore() throws Exception {
    SandboxBackend backend = create(Map.of());
    Result result = new Result();
    SandboxProcess process = backend.launch(shell("setsid sleep 100 & sleep 100"), result, soon());
    assertThat(backend.release(soon())).isEqualTo(ReleaseOutcome.DESTROYED);
    assertThat(result.exit.get(10, TimeUnit.SECONDS)).isEqualTo(new ExitStatus.Signalled(9));
    process.release();
    assertThat(backend.release(soon())).isEqualTo(ReleaseOutcome.ALREADY_GONE);
    assertCode(ErrorCode.BACKEND_GONE, () -> backend.launch(shell("true"), new Result(), soon()));
  }

  @Test
  @Tag("S-LOCAL-04")
  void isolationWithoutItsToolIsAClearError() {
    LocalProvider bare = new LocalProvider(Map.of("PATH", "/no/such"));
    BackendRequest request = new BackendRequest("s", Map.of("isolation", "namespaces"));
    assertThatThrownBy(() -> bare.create(request, soon()))
        .isInstanceOf(SandboxException.class)
        .hasMessageContaining("bwrap");
  }

  /** Without the tool these tests have nothing to test; in CI that is a failure. */
  private static void assumeBubblewrap() {
    assumeTrue(
        System.getenv("SANDBOX_CI") != null || Bubblewrap.find(System.getenv("PATH")).isPresent(),
        "bwrap is not installed");
  }

  @Test
  @Tag("S-LOCAL-04")
  void isolationConfines() throws Exception {
    assumeBubblewrap();
    SandboxBackend backend = create(Map.of("isolation", "namespaces"));
    Path outside = temporary.resolve("outside");
    String script =
        "echo in > f; cat f; (echo x > "
            + outside
            + ") 2>/dev/null || echo denied; (echo x > /etc/evil) 2>/dev/null || echo readonly;"
            + " ls /tmp | wc -l; ls -d /proc/[0-9]* | wc -l; ls /sys/class/net 2>/dev/null | wc -l;"
            + " echo $TMPDIR; touch $TMPDIR/t && echo tmp";
    List<String> lines = run(backend, shell(script)).lines().toList();
    assertThat(lines.get(0)).isEqualTo("in");
    assertThat(lines.get(1)).isEqualTo("denied");
    assertThat(lines.get(2)).isEqualTo("readonly");
    assertThat(Integer.parseInt(lines.get(3).strip())).isLessThanOrEqualTo(1);
    assertThat(Integer.parseInt(lines.get(4).strip())).isLessThan(8);
    assertThat(lines).endsWith("/tmp", "tmp");
    assertThat(Files.readString(workspace(backend).resolve("f"))).isEqualTo("in\n");
    assertThat(outside).doesNotExist();
    assertCode(
        ErrorCode.COMMAND_NOT_FOUND,
        () -> backend.launch(request(Optional.empty(), "nosuchcmd_zz"), new Result(), soon()));
  }

  @Test
  @Tag("S-LOCAL-04")
  void confinedTreesAreKilled() throws Exception {
    assumeBubblewrap();
    SandboxBackend backend = create(Map.of("isolation", "namespaces"));
    LaunchRequest request = shell("env -i setsid sleep 100 & sleep 0.1; echo ready; sleep 100");
    Result result = new Result();
    SandboxProcess process = backend.launch(request, result, soon());
    assertThat(backend.kill(request.id(), soon())).isEqualTo(TerminationOutcome.confirmed());
    assertThat(result.exit.get(10, TimeUnit.SECONDS)).isEqualTo(new ExitStatus.Signalled(9));
    process.release();
  }

  @ParameterizedTest
  @ValueSource(strings = {"linux", "pty4j"})
  @Tag("S-LOCAL-03")
  void theDriverIsChosenByName(String name) {
    try (var driver = PtyDrivers.open(Optional.of(name))) {
      assertThat(driver.name()).isEqualTo(name);
    }
    assertThatThrownBy(() -> PtyDrivers.open(Optional.of("other")))
        .hasMessageContaining("linux, pty4j");
  }

  @Test
  @Tag("S-ERR-03")
  void nothingIsShownOfSecrets() throws Exception {
    SandboxBackend backend = create(Map.of());
    LaunchRequest request =
        new LaunchRequest(
            LaunchId.random(),
            List.of("/no/such", "ARG-canary"),
            Map.of("TOKEN", "ENV-canary"),
            Optional.empty(),
            Optional.empty(),
            false);
    assertThatThrownBy(() -> backend.launch(request, new Result(), soon()))
        .satisfies(
            e -> {
              assertThat(e.toString()).doesNotContain("canary");
              assertThat(String.valueOf(e.getCause())).doesNotContain("canary");
            });
    assertThat(backend.toString() + backend.ref()).doesNotContain("canary");
  }
}
