package io.sandboxspi.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExitStatus;
import io.sandboxspi.SandboxException;
import io.sandboxspi.Signal;
import io.sandboxspi.TerminalSize;
import io.sandboxspi.docker.FaultProxy.Action;
import io.sandboxspi.docker.FaultProxy.Fault;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.LaunchId;
import io.sandboxspi.spi.LaunchRequest;
import io.sandboxspi.spi.OutputChannel;
import io.sandboxspi.spi.ProcessListener;
import io.sandboxspi.spi.SandboxProcess;
import io.sandboxspi.spi.TerminationOutcome;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Launches from processes that wait, on a real engine. */
class SparesTest {
  private static final TerminalSize SIZE = new TerminalSize(101, 31);

  private final DockerProvider provider = new DockerProvider();
  private final List<DockerBackend> made = new ArrayList<>();
  private FaultProxy proxy;

  @BeforeEach
  void relay() throws Exception {
    TestEngine.need(TestEngine.BUSYBOX);
    proxy = FaultProxy.unix(TestEngine.socket());
  }

  @AfterEach
  void close() throws Exception {
    proxy.close();
    for (DockerBackend backend : made) {
      backend.close();
      new Containers(DockerFixture.engine()).remove(container(backend), soon());
    }
  }

  private static Deadline soon() {
    return DockerFixture.seconds(20);
  }

  private static String container(DockerBackend backend) {
    return backend.ref().data().get("container");
  }

  private DockerBackend create(String... options) throws Exception {
    Map<String, String> all =
        new HashMap<>(Map.of("image", TestEngine.BUSYBOX, "pull", "never", "network", "none"));
    all.put("host", proxy.address());
    for (int i = 0; i < options.length; i += 2) {
      all.put(options[i], options[i + 1]);
    }
    String session = "spares-" + UUID.randomUUID().toString().substring(0, 8);
    DockerBackend backend =
        (DockerBackend) provider.create(new BackendRequest(session, all), soon());
    made.add(backend);
    return backend;
  }

  /** A way to launch. */
  private record Way(
      Map<String, String> environment, String workdir, Optional<TerminalSize> size, boolean input) {
    static final Way PLAIN = new Way(Map.of(), ".", Optional.empty(), false);
    static final Way TERMINAL = new Way(Map.of("TERM", "vt100"), ".", Optional.of(SIZE), true);
  }

  private static LaunchRequest request(Way way, String... argv) {
    return new LaunchRequest(
        LaunchId.random(),
        List.of(argv),
        way.environment(),
        Optional.of(way.workdir()),
        way.size(),
        way.input());
  }

  private Heard run(DockerBackend backend, Way way, String... argv) throws Exception {
    Heard heard = new Heard();
    SandboxProcess unused = backend.launch(request(way, argv), heard, soon());
    heard.stdout();
    heard.exit();
    return heard;
  }

  private Heard script(DockerBackend backend, Way way, String text) throws Exception {
    return run(backend, way, "sh", "-c", text);
  }

  private long execs() {
    return proxy.requests().stream().filter(r -> r.matches("POST .*/exec HTTP.*")).count();
  }

  private static void stocked(DockerBackend backend, boolean terminal, int count) throws Exception {
    assertThat(
            DockerFixture.until(
                Duration.ofSeconds(15), () -> backend.spares().waiting(terminal) == count))
        .as("waiting: %d", backend.spares().waiting(terminal))
        .isTrue();
  }

  private static List<String> waiting(String container) throws Exception {
    return DockerFixture.processes(container).stream()
        .filter(command -> command.matches("(?s).*sandbox-(launch|runner).*"))
        .toList();
  }

  /** What a program can see of how it was started. */
  private List<String> facts(DockerBackend backend, boolean spare) throws Exception {
    List<String> facts = new ArrayList<>();
    Way odd =
        new Way(
            Map.of("A", "it's \"odd\" $x", "LD_SANDBOX", "1", "IFS", ":", "E", ""),
            "deep/er",
            Optional.empty(),
            false);
    script(backend, Way.PLAIN, "mkdir -p deep/er");
    ready(backend, false, spare);
    facts.add(
        script(
                backend,
                odd,
                "id; pwd; env | grep -vE '^(SANDBOX_PROCESS|HOSTNAME)=' | sort; cat; ulimit -a; umask; trap;"
                    + " ls -A /workspace; grep -E '^(Sig[BIC]|NoNew|Cap)' /proc/self/status")
            .stdout());
    ready(backend, false, spare);
    Heard both = script(backend, Way.PLAIN, "echo out; echo err >&2; exit 7");
    facts.add(both.stdout() + both.stderr() + both.exit());
    ready(backend, false, spare);
    facts.add("" + script(backend, Way.PLAIN, "kill -TERM $$").exit());
    ready(backend, false, spare);
    facts.add("" + script(backend, Way.PLAIN, "exit 143").exit());
    for (String[] argv : new String[][] {{"no-such-program"}, {"/etc/passwd"}}) {
      ready(backend, false, spare);
      assertThatThrownBy(() -> run(backend, Way.PLAIN, argv))
          .isInstanceOfSatisfying(
              SandboxException.class, e -> facts.add(e.code() + e.getMessage()));
    }
    script(backend, Way.TERMINAL, "true");
    ready(backend, true, spare);
    facts.add(
        script(
                backend,
                Way.TERMINAL,
                "stty size; stty -a | grep -o '[-]*echo '; tty | cut -c1-8; echo $TERM;"
                    + " cut -d' ' -f5,6,8 /proc/self/stat | tr -d 0-9")
            .stdout());
    return facts;
  }

  private static void ready(DockerBackend backend, boolean terminal, boolean spare)
      throws Exception {
    stocked(backend, terminal, spare ? 1 : 0);
  }

  /** Nothing that a program can see, and nothing that is told of it, depends on who started it. */
  @ParameterizedTest
  @CsvSource({
    "sandbox-test:busybox,root",
    "sandbox-test:busybox,1000:1000",
    "sandbox-test:debian,sandbox"
  })
  void aLaunchFromASpareIsAsOneThatIsMadeAfresh(String image, String user) throws Exception {
    TestEngine.need(image);
    List<String> fresh = facts(create("image", image, "user", user, "spares", "0"), false);
    List<String> spare = facts(create("image", image, "user", user, "spares", "1"), true);
    assertThat(spare).isEqualTo(fresh);
    assertThat(fresh.get(fresh.size() - 1)).contains("31 101");
  }

  @Test
  void aSpareSavesTheEngineItsStartOfAProcess() throws Exception {
    DockerBackend backend = create();
    assertThat(script(backend, Way.PLAIN, "echo first").stdout()).isEqualTo("first\n");
    stocked(backend, false, 1);
    long before = execs();
    assertThat(script(backend, Way.PLAIN, "echo second").stdout()).isEqualTo("second\n");
    stocked(backend, false, 1);
    assertThat(execs()).isEqualTo(before);
    assertThat(script(backend, Way.PLAIN, "ls -A").stdout()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"0", "1", "3"})
  void thereAreAsManyAsTheOptionSays(int count) throws Exception {
    DockerBackend backend = create("spares", String.valueOf(count));
    for (int i = 0; i < 4; i++) {
      script(backend, Way.PLAIN, "true");
    }
    stocked(backend, false, count);
    assertThat(backend.spares().waiting(true)).isZero();
    assertThat(waiting(container(backend))).hasSize(count);
  }

  @Test
  void inputAndSignalsReachALaunchFromASpare() throws Exception {
    DockerBackend backend = create();
    Way piped = new Way(Map.of(), ".", Optional.empty(), true);
    script(backend, Way.PLAIN, "true");
    stocked(backend, false, 1);
    Heard heard = new Heard();
    SandboxProcess process = backend.launch(request(piped, "cat"), heard, soon());
    process.write(ByteBuffer.wrap("through\n".getBytes(StandardCharsets.UTF_8)), soon());
    process.closeInput(soon());
    assertThat(heard.stdout()).isEqualTo("through\n");
    assertThat(heard.exit()).isEqualTo(new ExitStatus.Exited(0));
    stocked(backend, false, 1);
    Heard signalled = new Heard();
    SandboxProcess sleeper = backend.launch(request(piped, "sleep", "60"), signalled, soon());
    sleeper.signal(Signal.TERM, soon());
    assertThat(signalled.exit()).isEqualTo(new ExitStatus.Signalled(15));
    script(backend, Way.TERMINAL, "true");
    stocked(backend, true, 1);
    Heard interactive = new Heard();
    SandboxProcess shell =
        backend.launch(request(Way.TERMINAL, "sh", "-c", "read x; stty size"), interactive, soon());
    shell.resize(new TerminalSize(22, 11), soon());
    shell.write(ByteBuffer.wrap("go\n".getBytes(StandardCharsets.UTF_8)), soon());
    assertThat(interactive.stdout()).contains("11 22");
  }

  @Test
  void aLaunchFromASpareIsKilledWithAllItLeaves() throws Exception {
    DockerBackend backend = create();
    script(backend, Way.PLAIN, "true");
    stocked(backend, false, 1);
    LaunchRequest request =
        request(Way.PLAIN, "sh", "-c", "setsid sleep 611 & sleep 612 & echo up; sleep 613");
    Heard heard = new Heard();
    SandboxProcess unused = backend.launch(request, heard, soon());
    assertThat(
            DockerFixture.until(
                Duration.ofSeconds(10), () -> heard.soFar(OutputChannel.STDOUT).contains("up")))
        .isTrue();
    assertThat(backend.kill(request.id(), soon())).isEqualTo(TerminationOutcome.confirmed());
    assertThat(heard.exit()).isEqualTo(new ExitStatus.Signalled(9));
    assertThat(script(backend, Way.PLAIN, "ps | grep -c 'sleep 61[123]$'").stdout())
        .isEqualTo("0\n");
    stocked(backend, false, 1);
  }

  /** One process takes launch after launch, and what somebody still holds of its outputs is his. */
  @Test
  void whoStaysBehindKeepsTheOutputsToHimself() throws Exception {
    DockerBackend backend = create();
    script(backend, Way.PLAIN, "true");
    stocked(backend, false, 1);
    LaunchRequest request =
        request(
            Way.PLAIN, "sh", "-c", "(until [ -e go ]; do sleep 0.05; done; echo late) & echo up");
    Heard heard = new Heard();
    SandboxProcess unused = backend.launch(request, heard, soon());
    assertThat(heard.exit()).isEqualTo(new ExitStatus.Exited(0));
    for (int i = 0; i < 3; i++) {
      assertThat(script(backend, Way.PLAIN, "echo between >&2; : > go").stdout()).isEmpty();
    }
    assertThat(heard.stdout()).isEqualTo("up\nlate\n");
    assertThat(heard.stderr()).isEmpty();
  }

  /** A consumer that has enough slows the program down, and gets all of it in the end. */
  @Test
  void aLaunchFromASpareIsSlowedDownByItsConsumer() throws Exception {
    DockerBackend backend = create();
    script(backend, Way.PLAIN, "true");
    stocked(backend, false, 1);
    for (int i = 0; i < 2; i++) {
      Sipping sipping = new Sipping();
      LaunchRequest request =
          request(Way.PLAIN, "sh", "-c", "head -c 3000000 /dev/zero; echo err >&2; exit 4");
      SandboxProcess process = backend.launch(request, sipping, soon());
      while (sipping.sip()) {
        process.resumeOutput();
      }
      assertThat(sipping.heard.exit()).isEqualTo(new ExitStatus.Exited(4));
      assertThat(sipping.heard.stdout()).hasSize(3_000_000);
      assertThat(sipping.heard.stderr()).isEqualTo("err\n");
    }
    stocked(backend, false, 1);
  }

  /** Has enough with everything it gets. */
  private static final class Sipping implements ProcessListener {
    private final Heard heard = new Heard();
    private final Semaphore taken = new Semaphore(0);

    @Override
    public boolean onOutput(OutputChannel channel, ByteBuffer bytes) {
      boolean unused = heard.onOutput(channel, bytes);
      taken.release();
      return false;
    }

    /** Waits until it has had something; false once all is over. */
    boolean sip() throws Exception {
      return taken.tryAcquire(20, TimeUnit.SECONDS) && taken.availablePermits() < OVER / 2;
    }

    private static final int OVER = 1 << 20;

    @Override
    public void onOutputClosed() {
      heard.onOutputClosed();
      taken.release(OVER);
    }

    @Override
    public void onExit(ExitStatus status) {
      heard.onExit(status);
    }
  }

  /** The sandbox may kill what waits: launches are made afresh then. */
  @Test
  void sparesThatAreKilledAreReplaced() throws Exception {
    DockerBackend backend = create("spares", "2");
    script(backend, Way.PLAIN, "true");
    stocked(backend, false, 2);
    script(backend, Way.PLAIN, "kill -9 -1");
    assertThat(script(backend, Way.PLAIN, "echo afresh").stdout()).isEqualTo("afresh\n");
    stocked(backend, false, 2);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aReleaseAndADetachEndThem(boolean release) throws Exception {
    DockerBackend backend = create("spares", "2");
    script(backend, Way.PLAIN, "true");
    script(backend, Way.TERMINAL, "true");
    stocked(backend, false, 2);
    stocked(backend, true, 2);
    assertThat(waiting(container(backend))).hasSize(4);
    if (release) {
      backend.release(soon());
    } else {
      backend.detach(soon());
    }
    assertThat(
            DockerFixture.until(
                Duration.ofSeconds(10), () -> waiting(container(backend)).isEmpty()))
        .isTrue();
  }

  /** One that is on its way when the backend is released does not stay either. */
  @Test
  void aReleaseAlsoEndsThoseThatDoNotWaitYet() throws Exception {
    DockerBackend backend = create();
    Fault fault = proxy.on("POST /exec/.*/start", Action.DELAY, 700, 2);
    script(backend, Way.PLAIN, "true");
    assertThat(fault.awaitMet()).isTrue();
    backend.release(soon());
    assertThat(
            DockerFixture.until(
                Duration.ofSeconds(10), () -> waiting(container(backend)).isEmpty()))
        .isTrue();
  }

  /** A spare that never starts keeps nobody waiting. */
  @Test
  void aStalledSpareKeepsNobodyWaiting() throws Exception {
    DockerBackend backend = create();
    Fault fault = proxy.on("POST /exec/.*/start", Action.STALL_REQUEST, 0, 2);
    script(backend, Way.PLAIN, "true");
    assertThat(fault.awaitMet()).isTrue();
    fault.end();
    assertThat(script(backend, Way.PLAIN, "echo on").stdout()).isEqualTo("on\n");
  }

  /** Nobody knows whether a frozen spare took the launch: it fails, and its id is never started. */
  @Test
  void aSpareInAPausedContainerIsNoWayIn() throws Exception {
    DockerBackend backend = create();
    script(backend, Way.PLAIN, "true");
    stocked(backend, false, 1);
    String container = container(backend);
    DockerFixture.tell(client -> client.pauseContainerCmd(container).exec());
    LaunchRequest request = request(Way.PLAIN, "sh", "-c", "echo x >> ran; sleep 614");
    assertThatThrownBy(() -> backend.launch(request, new Heard(), soon()))
        .isInstanceOfSatisfying(
            SandboxException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.BACKEND_NOT_RUNNING));
    DockerFixture.tell(client -> client.unpauseContainerCmd(container).exec());
    assertThat(backend.kill(request.id(), soon()).proven()).isTrue();
    assertThat(script(backend, Way.PLAIN, "ps | grep -c 'sleep 614$'").stdout()).isEqualTo("0\n");
  }
}
