package io.sandboxspi.remote.cloudflare;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sandboxspi.Command;
import io.sandboxspi.Endpoint;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExecResult;
import io.sandboxspi.ExitStatus;
import io.sandboxspi.PtyRequest;
import io.sandboxspi.PtyUpdate;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.Stdin;
import io.sandboxspi.TerminalSize;
import io.sandboxspi.fake.Fault;
import io.sandboxspi.fake.Posix;
import io.sandboxspi.fake.cloudflare.Container;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.Liveness;
import io.sandboxspi.spi.SandboxBackend;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What users of the bridge have met, and what becomes of it here. One sandbox serves most. */
class CloudflarePitfallsTest {
  private static final CloudflareFixture FIXTURE = new CloudflareFixture();
  private static SandboxSession session;

  @BeforeAll
  static void open() throws Exception {
    session = FIXTURE.openPatient(Map.of("ports", "8080"));
    // Both kept shells are there from now on.
    session.files().write("first", new byte[1]);
  }

  @AfterAll
  static void close() {
    session.close();
    FIXTURE.close();
  }

  private static String of(String request) {
    return request.replace("ID", CloudflareFixture.id(session));
  }

  private static Container container() {
    return FIXTURE.container(session);
  }

  private static ExecResult onTerminal(String text) throws InterruptedException {
    return session.exec(
        Command.shell(text).terminal(TerminalSize.DEFAULT).timeout(Duration.ofSeconds(60)));
  }

  // Commands

  @Test
  void aCommandMayBeSilentForLong() throws Exception {
    container().silence(Duration.ofMillis(100));
    try {
      assertThat(CloudflareFixture.output(session, "sleep 0.6; echo done")).isEqualTo("done\n");
    } finally {
      container().silence(Duration.ofMinutes(5));
    }
  }

  @Test
  void bytesThatAreNoTextComeUnchangedAndInTheirStream() throws Exception {
    ExecResult result =
        CloudflareFixture.run(
            session, "printf 'a\\377\\000\\035\\036b'; printf '\\376c' >&2; exit 130");
    assertThat(result.stdout().bytes()).isEqualTo(new byte[] {'a', (byte) 255, 0, 29, 30, 'b'});
    assertThat(result.stderr().bytes()).isEqualTo(new byte[] {(byte) 254, 'c'});
  }

  @Test
  void aTimeoutHoldsAndEndsTheTree() throws Exception {
    SandboxException late =
        catchThrowableOfType(
            SandboxException.class,
            () ->
                session.exec(
                    Command.shell("(trap '' TERM; sleep 300; true) & echo $! > child; sleep 300")
                        .timeout(Duration.ofSeconds(1))));
    assertThat(late.code()).isEqualTo(ErrorCode.EXEC_TIMEOUT);
    String child = new String(session.files().read("child"), UTF_8).strip();
    assertThat(CloudflareFixture.until(() -> ProcessHandle.of(Long.parseLong(child)).isEmpty()))
        .isTrue();
  }

  @Test
  void commandsAreNeverLeftToTheBridge() throws Exception {
    int before = FIXTURE.fake().faults().count(of("POST /v1/sandbox/ID/exec"));
    assertThat(CloudflareFixture.run(session, "exit 7").status())
        .isEqualTo(new ExitStatus.Exited(7));
    assertThat(FIXTURE.fake().faults().count(of("POST /v1/sandbox/ID/exec"))).isEqualTo(before);
  }

  @Test
  void aConnectionThatBreaksLosesNothingOfACommand() throws Exception {
    FIXTURE.fake().faults().on(of("GET /v1/sandbox/ID/pty"), new Fault.CutStream(12));
    ExecResult result =
        CloudflareFixture.run(session, "for i in $(seq 30); do echo $i; sleep 0.02; done; exit 3");
    assertThat(result.status()).isEqualTo(new ExitStatus.Exited(3));
    assertThat(result.stdout().text())
        .isEqualTo(
            IntStream.rangeClosed(1, 30).mapToObj(i -> i + "\n").collect(Collectors.joining()));
    assertThat(FIXTURE.fake().faults().unused()).isZero();
  }

  @Test
  void aCommandWhoseInputABreakMayHaveLostIsLost() throws Exception {
    // More than its pipe holds, so some is on its way as long as it does not read.
    Command command =
        Command.shell(": > up; until [ -e on ]; do sleep 0.05; done; wc -c")
            .stdin(Stdin.bytes(new byte[300_000]));
    CompletableFuture<ExecResult> result = new CompletableFuture<>();
    Thread caller =
        new Thread(
            () -> {
              try {
                result.complete(session.exec(command));
              } catch (InterruptedException | RuntimeException e) {
                result.completeExceptionally(e);
              }
            },
            "caller");
    caller.start();
    assertThat(CloudflareFixture.until(() -> Files.exists(container().workspace().resolve("up"))))
        .isTrue();
    container().cutTerminals();
    Files.createFile(container().workspace().resolve("on"));
    assertThat(result.get(60, TimeUnit.SECONDS).status()).isInstanceOf(ExitStatus.Lost.class);
  }

  // Terminals

  @Test
  void aWorkerThatIsDeployedIsNotNoticed() throws Exception {
    PtyUpdate start =
        session
            .ptys()
            .start(
                PtyRequest.shell("echo one; until [ -e go ]; do sleep 0.05; done; echo two; exit 4")
                    .collectFor(Duration.ofMillis(400)));
    container().cutTerminals();
    Files.createFile(container().workspace().resolve("go"));
    StringBuilder seen = new StringBuilder(start.output());
    PtyUpdate update = start;
    while (update.running()) {
      update = session.ptys().poll(start.id());
      seen.append(update.output());
    }
    assertThat(seen.toString()).isEqualTo("one\r\ntwo\r\n");
    assertThat(update.exitCode()).hasValue(4);
  }

  @ParameterizedTest
  @ValueSource(strings = {"<html>sign in</html>", "{\"type\":\"err", "[]"})
  void aMessageThatIsNoneBreaksTheConnectionAndLosesNothing(String message) throws Exception {
    PtyUpdate start =
        session
            .ptys()
            .start(
                PtyRequest.shell("echo one; read -r x; echo two; exit 4")
                    .collectFor(Duration.ofMillis(400)));
    int before = FIXTURE.fake().faults().count(of("GET /v1/sandbox/ID/pty"));
    container().tellTerminals("{\"type\":\"of a later server\"}");
    container().tellTerminals(message);
    assertThat(
            CloudflareFixture.until(
                () -> FIXTURE.fake().faults().count(of("GET /v1/sandbox/ID/pty")) > before))
        .as("connected again")
        .isTrue();
    PtyUpdate update = session.ptys().write(start.id(), "\n");
    StringBuilder seen = new StringBuilder(start.output()).append(update.output());
    while (update.running()) {
      update = session.ptys().poll(start.id());
      seen.append(update.output());
    }
    assertThat(seen.toString()).isEqualTo("one\r\n\r\ntwo\r\n");
    assertThat(update.exitCode()).hasValue(4);
  }

  @Test
  void aTerminalThatEndsAtOnceHasItsOutputAndItsCode() throws Exception {
    for (int i = 0; i < 3; i++) {
      ExecResult result = onTerminal("seq 1 2000; exit 9");
      assertThat(result.stdout().text()).startsWith("1\r\n").endsWith("2000\r\n");
      assertThat(result.status()).isEqualTo(new ExitStatus.Exited(9));
    }
  }

  @Test
  void anInterruptReachesTheProgram() throws Exception {
    PtyUpdate start =
        session
            .ptys()
            .start(
                PtyRequest.shell("trap 'echo caught; exit 5' INT; echo up; sleep 300; :")
                    .collectFor(Duration.ofMillis(400)));
    PtyUpdate update = session.ptys().write(start.id(), "\u0003");
    StringBuilder seen = new StringBuilder(update.output());
    while (update.running()) {
      update = session.ptys().poll(start.id());
      seen.append(update.output());
    }
    assertThat(seen.toString()).contains("caught");
    assertThat(update.exitCode()).hasValue(5);
  }

  @Test
  void terminalsAreApart() throws Exception {
    PtyUpdate first = session.ptys().start(PtyRequest.of("cat").collectFor(Duration.ofMillis(250)));
    PtyUpdate second =
        session.ptys().start(PtyRequest.of("cat").collectFor(Duration.ofMillis(250)));
    assertThat(session.ptys().write(first.id(), "to one\n").output()).contains("to one");
    assertThat(session.ptys().write(second.id(), "to two\n").output())
        .contains("to two")
        .doesNotContain("to one");
    session.ptys().terminateAll();
  }

  @Test
  void anEndThatNobodyTellsIsFound() throws Exception {
    PtyUpdate start =
        session
            .ptys()
            .start(
                PtyRequest.shell("echo lost > name; sleep 311").collectFor(Duration.ofMillis(300)));
    for (long pid : container().processes()) {
      String line = ProcessHandle.of(pid).flatMap(handle -> handle.info().commandLine()).orElse("");
      if (line.contains("echo lost") || line.contains("sleep 311")) {
        boolean unused = Posix.signal(pid, Posix.KILL);
      }
    }
    PtyUpdate end = session.ptys().poll(start.id());
    assertThat(
            CloudflareFixture.until(
                () -> session.ptys().list().stream().noneMatch(pty -> pty.id() == start.id())))
        .as("%s", end)
        .isTrue();
  }

  @Test
  void nothingStaysBehindOfWhatHasEnded() throws Exception {
    assertThat(CloudflareFixture.output(session, "echo a")).isEqualTo("a\n");
    PtyUpdate start = session.ptys().start(PtyRequest.of("cat").collectFor(Duration.ofMillis(100)));
    Object unused = session.ptys().terminate(start.id());
    assertThat(catchThrowable(() -> session.exec(Command.of("no-such-program")))).isNotNull();
    // Two kept shells: one for questions, one for files.
    assertThat(CloudflareFixture.until(() -> container().sessions() <= 2))
        .as("sessions: %s", container().sessions())
        .isTrue();
  }

  // Files

  @Test
  void aFileThatLooksLikeTextComesBackAsItIs() throws Exception {
    byte[] bytes = new byte[400_000];
    bytes[0] = (byte) 0xef;
    bytes[1] = (byte) 0xbb;
    bytes[2] = (byte) 0xbf;
    java.util.Arrays.fill(bytes, 3, bytes.length, (byte) 255);
    for (String name : List.of("r.json", "100%25 #1?.txt", "a:b@c&d=e+f$,;é.sh")) {
      session.files().write(name, bytes);
      assertThat(session.files().read(name)).isEqualTo(bytes);
    }
  }

  @Test
  void aFileThatIsLongerThanTheBridgeTakesIsSentInParts() throws Exception {
    byte[] bytes = new byte[(33 << 20) + 1];
    new java.util.Random(7).nextBytes(bytes);
    session.files().write("large.bin", bytes);
    assertThat(session.files().read("large.bin")).isEqualTo(bytes);
    assertThat(CloudflareFixture.output(session, "ls -A | grep sandbox-spi; rm large.bin"))
        .isEmpty();
  }

  @Test
  void aMissingFileIsNoEmptyOne() throws Exception {
    session.files().write("empty.txt", new byte[0]);
    assertThat(session.files().read("empty.txt")).isEmpty();
    SandboxException failure =
        catchThrowableOfType(SandboxException.class, () -> session.files().read("none.txt"));
    assertThat(failure.code()).isEqualTo(ErrorCode.FILE_NOT_FOUND);
  }

  @Test
  void aFileCallThatMeetsABreakEndsAndALaterOneWorks() throws Exception {
    byte[] bytes = "after".getBytes(UTF_8);
    container().cutTerminals();
    // What was on its way may be lost: it is not waited for.
    assertThat(
            CloudflareFixture.until(
                () -> {
                  try {
                    session.files().write("after", bytes);
                    return true;
                  } catch (SandboxException failure) {
                    assertThat(failure.code()).isEqualTo(ErrorCode.TRANSPORT);
                    return false;
                  }
                }))
        .isTrue();
    assertThat(session.files().read("after")).isEqualTo(bytes);
  }

  @Test
  void aFileThatComesShortIsNoFile() throws Exception {
    session.files().write("half", new byte[2 << 20]);
    FIXTURE
        .fake()
        .faults()
        .on(
            of("GET /v1/sandbox/ID/file"),
            new Fault.CutStream(1),
            new Fault.Refuse(200, "application/octet-stream", "", -1));
    assertThat(catchThrowable(() -> session.files().read("half"))).isNotNull();
    assertThat(catchThrowable(() -> session.files().read("half"))).isNotNull();
    assertThat(session.files().read("half")).hasSize(2 << 20);
  }

  @Test
  void anUploadThatIsRefusedSaysWhy() {
    FIXTURE
        .fake()
        .faults()
        .on(
            of("PUT /v1/sandbox/ID/file"),
            new Fault.Refuse(
                413,
                "application/json",
                "{\"error\":\"body too large\",\"code\":\"payload_too_large\"}",
                -1));
    SandboxException failure =
        catchThrowableOfType(
            SandboxException.class, () -> session.files().write("f", new byte[1 << 20]));
    assertThat(failure.code()).isEqualTo(ErrorCode.FILE_FAILED);
    assertThat(failure).hasMessageContaining("body too large");
  }

  // Ports

  @Test
  void aPortHasAnAddressOrSaysThatTheBridgeIsOld() throws Exception {
    Endpoint endpoint = session.endpoint(8080);
    assertThat(endpoint.host()).endsWith(".trycloudflare.com");
    assertThat(endpoint.port()).isEqualTo(443);
    assertThat(endpoint.tls()).isTrue();
    FIXTURE
        .fake()
        .faults()
        .on(
            of("POST /v1/sandbox/ID/tunnel/8080"),
            new Fault.Refuse(404, "text/plain", "Not Found", -1));
    SandboxException old =
        catchThrowableOfType(SandboxException.class, () -> session.endpoint(8080));
    assertThat(old.code()).isEqualTo(ErrorCode.UNSUPPORTED);
  }

  // Sandboxes

  @Test
  void aContainerThatWasReplacedIsGoneAndNoneRunsForIt() throws Exception {
    CloudflareProvider provider = FIXTURE.provider();
    SandboxBackend first =
        provider.create(new BackendRequest("replaced", Map.of()), CloudflareFixture.seconds(30));
    String id = first.ref().data().get("sandbox");
    first.detach(CloudflareFixture.seconds(5));
    SandboxBackend again = FIXTURE.provider().attach(first.ref(), CloudflareFixture.seconds(30));
    assertThat(again.probe(CloudflareFixture.seconds(20))).isEqualTo(Liveness.RUNNING);
    FIXTURE.fake().sleep(id);
    assertThat(again.probe(CloudflareFixture.seconds(20))).isEqualTo(Liveness.GONE);
    SandboxException gone =
        catchThrowableOfType(
            SandboxException.class,
            () -> FIXTURE.provider().attach(first.ref(), CloudflareFixture.seconds(30)));
    assertThat(gone.code()).isEqualTo(ErrorCode.BACKEND_GONE);
    assertThat(FIXTURE.fake().running(id)).isEmpty();
    again.detach(CloudflareFixture.seconds(5));
  }

  @Test
  void whatIsUnderWayWhenASandboxIsFoundGoneStartsNoOther() throws Exception {
    SandboxBackend backend =
        FIXTURE
            .provider()
            .create(new BackendRequest("gone", Map.of()), CloudflareFixture.seconds(30));
    String id = backend.ref().data().get("sandbox");
    String ask = "POST /v1/sandbox/" + id + "/exec";
    int before = FIXTURE.fake().faults().count(ask);
    FIXTURE.fake().faults().on(ask, new Fault.Delay(Duration.ofMillis(700)));
    FIXTURE.fake().sleep(id);
    CompletableFuture<Liveness> slow =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return backend.probe(CloudflareFixture.seconds(10));
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    assertThat(CloudflareFixture.until(() -> FIXTURE.fake().faults().count(ask) > before)).isTrue();
    assertThat(backend.probe(CloudflareFixture.seconds(10))).isEqualTo(Liveness.GONE);
    assertThat(slow.get(20, TimeUnit.SECONDS)).isEqualTo(Liveness.GONE);
    assertThat(FIXTURE.fake().running(id)).isEmpty();
    backend.detach(CloudflareFixture.seconds(5));
  }

  @Test
  void aDeletedSandboxIsNotStartedAgainByWhatIsStillUnderWay() throws Exception {
    SandboxSession other = FIXTURE.open(Map.of());
    String id = CloudflareFixture.id(other);
    for (int i = 0; i < 3; i++) {
      Object unused = other.ptys().start(PtyRequest.of("cat").collectFor(Duration.ofMillis(250)));
    }
    other.close();
    int asked = FIXTURE.fake().faults().count("DELETE /v1/sandbox/" + id);
    assertThat(asked).isPositive();
    Thread.onSpinWait();
    Object probe = session.files().list(".");
    assertThat(probe).isNotNull();
    assertThat(FIXTURE.fake().running(id)).isEmpty();
  }

  @Test
  void aSandboxInUseIsKeptAwake() throws Exception {
    try (CloudflareFixture sleepy = new CloudflareFixture()) {
      CloudflareBackend backend =
          (CloudflareBackend)
              sleepy
                  .provider()
                  .create(
                      new BackendRequest("awake", Map.of("keep-alive", "false")),
                      CloudflareFixture.seconds(30));
      String id = backend.ref().data().get("sandbox");
      KeepAwake awake = backend.awake(Duration.ofMillis(50));
      awake.arm();
      int before = sleepy.fake().faults().count("POST /v1/sandbox/" + id + "/exec");
      assertThat(
              CloudflareFixture.until(
                  () ->
                      sleepy.fake().faults().count("POST /v1/sandbox/" + id + "/exec")
                          >= before + 3))
          .isTrue();
      assertThat(backend.probe(CloudflareFixture.seconds(10))).isEqualTo(Liveness.RUNNING);
      sleepy.fake().sleep(id);
      // What is lost is not kept awake: nothing would start another container.
      assertThat(
              CloudflareFixture.until(
                  () -> sleepy.fake().faults().count("DELETE /v1/sandbox/" + id) > 0))
          .isTrue();
      assertThat(backend.probe(CloudflareFixture.seconds(10))).isEqualTo(Liveness.GONE);
      assertThat(CloudflareFixture.until(() -> sleepy.fake().containers() == 0)).isTrue();
      awake.close();
      backend.close();
    }
  }

  @Test
  void aFailureToCreateIsNotRemembered() throws Exception {
    CloudflareProvider provider = FIXTURE.provider();
    FIXTURE.fake().faults().on("GET /v1/sandbox/", Fault.error(500));
    assertThat(catchThrowable(() -> CloudflareFixture.open(provider, Map.of()).close()))
        .isInstanceOf(SandboxException.class);
    try (SandboxSession other = CloudflareFixture.open(provider, Map.of())) {
      assertThat(CloudflareFixture.output(other, "echo a")).isEqualTo("a\n");
    }
  }
}
