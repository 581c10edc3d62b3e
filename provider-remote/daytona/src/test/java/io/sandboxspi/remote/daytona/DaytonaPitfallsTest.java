package io.sandboxspi.remote.daytona;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sandboxspi.Command;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExecResult;
import io.sandboxspi.ExitStatus;
import io.sandboxspi.PtyRequest;
import io.sandboxspi.PtyUpdate;
import io.sandboxspi.RunningCommand;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.TerminalSize;
import io.sandboxspi.fake.Fault;
import io.sandboxspi.fake.daytona.FakeSandbox;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.SandboxBackend;
import java.io.InputStream;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What users of Daytona have met, and what becomes of it here. One sandbox serves most of them. */
class DaytonaPitfallsTest {
  private static final DaytonaFixture FIXTURE = new DaytonaFixture();
  private static SandboxSession session;

  @BeforeAll
  static void open() throws Exception {
    session = FIXTURE.open(Map.of());
  }

  @AfterAll
  static void close() {
    session.close();
    FIXTURE.close();
  }

  private static Fault nothing502() {
    return new Fault.Refuse(502, "text/plain", "", -1);
  }

  @Test
  void aSandboxThatHasJustStartedMayAnswerLate() throws Exception {
    FIXTURE
        .fake
        .faults()
        .on(
            "GET /toolbox",
            nothing502(),
            new Fault.Refuse(
                400,
                "application/json",
                "{\"message\":\"no IP address found. Is the Sandbox started?\"}",
                -1),
            nothing502());
    try (SandboxSession other = FIXTURE.open(Map.of())) {
      assertThat(DaytonaFixture.output(other, "echo up")).isEqualTo("up\n");
    }
    assertThat(FIXTURE.fake.faults().unused()).isZero();
  }

  @Test
  void attachingWhileItStopsWaitsAndStarts() throws Exception {
    DaytonaProvider provider = FIXTURE.provider();
    SandboxBackend first =
        provider.create(new BackendRequest("turning", Map.of()), DaytonaFixture.seconds(30));
    first.release(DaytonaFixture.seconds(5));
    FIXTURE.fake.sandbox(first.ref().data().get("sandbox")).orElseThrow().stop();
    SandboxBackend again = provider.attach(first.ref(), DaytonaFixture.seconds(30));
    assertThat(again.probe(DaytonaFixture.seconds(5)).name()).isEqualTo("RUNNING");
    again.release(DaytonaFixture.seconds(5));
    assertThat(provider.delete(first.ref(), DaytonaFixture.seconds(20)).name())
        .isEqualTo("DESTROYED");
    assertThat(provider.delete(first.ref(), DaytonaFixture.seconds(20)).name())
        .isEqualTo("ALREADY_GONE");
  }

  @Test
  void aTimeoutHoldsAndEndsTheTree() throws Exception {
    SandboxException late =
        catchThrowableOfType(
            SandboxException.class,
            () ->
                session.exec(
                    Command.shell("(sleep 300; true) & echo $! > child; sleep 300")
                        .timeout(Duration.ofSeconds(1))));
    assertThat(late.code()).isEqualTo(ErrorCode.EXEC_TIMEOUT);
    String child = new String(session.files().read("child"), UTF_8).strip();
    assertThat(DaytonaFixture.until(() -> ProcessHandle.of(Long.parseLong(child)).isEmpty()))
        .isTrue();
  }

  @Test
  void aTimeoutIsNeverLeftToTheVendor() throws Exception {
    assertThat(DaytonaFixture.output(session, "echo a")).isEqualTo("a\n");
    String base = "POST /toolbox/" + session.backend().data().get("sandbox");
    assertThat(FIXTURE.fake.faults().count(base + "/process/pty")).isPositive();
    assertThat(FIXTURE.fake.faults().count(base + "/process/execute")).isZero();
    assertThat(FIXTURE.fake.faults().count(base + "/process/session")).isZero();
  }

  @Test
  void aReaderThatWaitsHoldsTheProgramUpAndLosesNothing() throws Exception {
    int size = 24 << 20;
    try (RunningCommand command =
        session.start(Command.shell("head -c " + size + " /dev/zero; echo e >&2").streaming())) {
      InputStream out = command.stdout();
      assertThat(out.read()).isZero();
      // Longer than the daemon waits for anyone.
      DaytonaFixture.output(session, "sleep 1");
      long read = 1;
      byte[] piece = new byte[65_536];
      for (int n = out.read(piece); n >= 0; n = out.read(piece)) {
        read += n;
      }
      assertThat(read).as("%s", command.result().get(20, TimeUnit.SECONDS)).isEqualTo(size);
      assertThat(new String(command.stderr().readAllBytes(), UTF_8)).isEqualTo("e\n");
    }
  }

  @Test
  void bytesThatAreNoTextComeUnchangedAndInTheirStream() throws Exception {
    ExecResult result =
        DaytonaFixture.run(
            session,
            "printf '\\001\\001\\001a\\377\\000\\035\\036b'; printf '\\002\\002\\002\\376c' >&2");
    assertThat(result.stdout().bytes())
        .isEqualTo(new byte[] {1, 1, 1, 'a', (byte) 255, 0, 29, 30, 'b'});
    assertThat(result.stderr().bytes()).isEqualTo(new byte[] {2, 2, 2, (byte) 254, 'c'});
  }

  @Test
  void aLineWithoutItsEndComesAtOnceAndAsItIs() throws Exception {
    try (RunningCommand command =
        session.start(Command.shell("printf now; sleep 60").streaming())) {
      byte[] now = command.stdout().readNBytes(3);
      assertThat(new String(now, UTF_8)).isEqualTo("now");
    }
  }

  @Test
  void manyShortCommandsKeepTheirCodes() throws Exception {
    for (int i = 1; i <= 10; i++) {
      assertThat(DaytonaFixture.run(session, "exit " + i).status())
          .isEqualTo(new ExitStatus.Exited(i));
    }
  }

  @Test
  void exitOfAShellEndsItsOwnCommandOnly() throws Exception {
    assertThat(DaytonaFixture.run(session, "set -e; false; echo no").code()).hasValue(1);
    assertThat(DaytonaFixture.output(session, "cd /; export LEAK=1; echo a")).isEqualTo("a\n");
    assertThat(DaytonaFixture.output(session, "echo \"$LEAK\"; pwd")).endsWith("/workspace\n");
  }

  @Test
  void anInteractiveShellDoesNotHang() throws Exception {
    assertThat(DaytonaFixture.output(session, "bash -ic 'echo plain'")).contains("plain");
    ExecResult terminal =
        session.exec(
            Command.of("bash", "-ic", "echo terminal")
                .terminal(TerminalSize.DEFAULT)
                .timeout(Duration.ofSeconds(30)));
    assertThat(terminal.stdout().text()).contains("terminal");
  }

  @Test
  void aTerminalThatEndsAtOnceHasItsOutputAndItsCode() throws Exception {
    for (int i = 0; i < 5; i++) {
      ExecResult result =
          session.exec(
              Command.shell("seq 1 2000; exit 9")
                  .terminal(TerminalSize.DEFAULT)
                  .timeout(Duration.ofSeconds(30)));
      assertThat(result.stdout().text()).startsWith("1\r\n").endsWith("2000\r\n");
      assertThat(result.status()).isEqualTo(new ExitStatus.Exited(9));
    }
  }

  @Test
  void aLargeFileIsUploadedAndALargeArgumentTyped() throws Exception {
    byte[] large = new byte[3 << 20];
    large[7] = '\r';
    large[large.length - 1] = '\n';
    session.files().write("dir/large é.bin", large);
    assertThat(session.files().read("dir/large é.bin")).isEqualTo(large);
    String argument = "x".repeat(100_000);
    ExecResult result =
        session.exec(Command.of("printf", "%s", argument).env("BIG", "é".repeat(40_000)));
    assertThat(result.stdout().text()).isEqualTo(argument);
  }

  @Test
  void anUploadThatIsRefusedSaysWhy() {
    FIXTURE
        .fake
        .faults()
        .on(
            "POST /toolbox/" + session.backend().data().get("sandbox") + "/files/bulk-upload",
            new Fault.Refuse(
                400, "application/json", "{\"errors\":[\"disk is full\"],\"files\":[]}", -1));
    SandboxException failure =
        catchThrowableOfType(
            SandboxException.class, () -> session.files().write("f", new byte[1 << 20]));
    assertThat(failure.code()).isEqualTo(ErrorCode.FILE_FAILED);
    assertThat(failure).hasMessageContaining("disk is full");
  }

  @Test
  void aDownloadThatIsCutIsNoFile() throws Exception {
    session.files().write("half", new byte[2 << 20]);
    FIXTURE
        .fake
        .faults()
        .on(
            "GET /toolbox/" + session.backend().data().get("sandbox") + "/files/download",
            new Fault.CutStream(1));
    assertThat(catchThrowable(() -> session.files().read("half"))).isNotNull();
    assertThat(session.files().read("half")).hasSize(2 << 20);
  }

  @Test
  void aStreamThatEndsEarlyIsLostAndNeverACode() throws Exception {
    FIXTURE.fake.faults().on(connect(), new Fault.CutStream(10));
    ExecResult result =
        DaytonaFixture.run(session, "for i in $(seq 40); do echo $i; sleep 0.05; done");
    assertThat(result.status()).isInstanceOf(ExitStatus.Lost.class);
  }

  @Test
  void aTerminalIsReachedAgainAndTheGapIsShown() throws Exception {
    FIXTURE.fake.faults().on(connect(), new Fault.CutStream(5));
    PtyUpdate start =
        session
            .ptys()
            .start(
                PtyRequest.shell("i=0; while sleep 0.1; do i=$((i+1)); echo n$i; done")
                    .collectFor(Duration.ofMillis(200)));
    StringBuilder seen = new StringBuilder(start.output());
    assertThat(
            DaytonaFixture.until(
                () -> {
                  seen.append(session.ptys().poll(start.id()).output());
                  int gap = seen.indexOf("output may be missing");
                  return gap > 0 && seen.indexOf("\nn", gap) > 0;
                }))
        .as(seen.toString())
        .isTrue();
    Object unused = session.ptys().terminate(start.id());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6})
  void aCutBeforeTheProgramRunsIsAFailureAtOnce(int messages) throws Exception {
    // The kept shells are there.
    assertThat(DaytonaFixture.output(session, "echo on")).isEqualTo("on\n");
    FIXTURE.fake.faults().on(connect(), new Fault.CutStream(messages));
    long begin = System.nanoTime();
    PtyRequest request = PtyRequest.of("cat").collectFor(Duration.ofMillis(250));
    Throwable failure =
        catchThrowable(
            () -> {
              PtyUpdate start = session.ptys().start(request);
              Object unused = session.ptys().terminate(start.id());
            });
    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(20));
    if (messages == 1) {
      assertThat(failure).isInstanceOf(SandboxException.class);
    }
    assertThat(FIXTURE.fake.faults().unused()).isZero();
    assertThat(DaytonaFixture.output(session, "echo on")).isEqualTo("on\n");
  }

  private String connect() {
    return "GET /toolbox/" + session.backend().data().get("sandbox") + "/process/pty/sandbox-";
  }

  @Test
  void aTerminalOutlivesMoreBreaksThanMayComeInARow() throws Exception {
    PtyUpdate start =
        session
            .ptys()
            .start(
                PtyRequest.shell("while sleep 0.1; do echo n; done")
                    .collectFor(Duration.ofMillis(300)));
    StringBuilder seen = new StringBuilder(start.output());
    for (int gaps = 1; gaps <= 6; gaps++) {
      int before = seen.length();
      FIXTURE.sandbox(session).cutTerminals();
      assertThat(
              DaytonaFixture.until(
                  () -> {
                    // A poll would collect for 5 s.
                    seen.append(session.ptys().write(start.id(), "x").output());
                    int gap = seen.indexOf("output may be missing", before);
                    return gap > 0 && seen.indexOf("\nn", gap) > 0;
                  }))
          .as(seen.toString())
          .isTrue();
    }
    Object unused = session.ptys().terminate(start.id());
  }

  @Test
  void nothingIsForgottenForEver() {
    SandboxException failure =
        catchThrowableOfType(
            SandboxException.class,
            () -> FIXTURE.open(Map.of("auto-stop", "0", "auto-delete", "0")).close());
    assertThat(failure.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    assertThat(failure).hasMessageContaining("ttl");
  }

  @Test
  void aSandboxInUseIsKeptAwake() throws Exception {
    DaytonaProvider provider = FIXTURE.provider();
    DaytonaBackend backend =
        (DaytonaBackend)
            provider.create(new BackendRequest("awake", Map.of()), DaytonaFixture.seconds(30));
    FakeSandbox sandbox = FIXTURE.fake.sandbox(backend.ref().data().get("sandbox")).orElseThrow();
    assertThat(sandbox.config().path("autoStopInterval").asInt()).isEqualTo(15);
    backend.keepAlive(Optional.of(Duration.ofMillis(50)));
    assertThat(DaytonaFixture.until(() -> sandbox.touches() > 2)).isTrue();
    backend.release(DaytonaFixture.seconds(5));
    Object unused = provider.delete(backend.ref(), DaytonaFixture.seconds(20));
    assertThat(DaytonaOptions.heartbeat(15, true)).contains(Duration.ofMinutes(5));
    assertThat(DaytonaOptions.heartbeat(15, false)).isEmpty();
  }

  @Test
  void noTerminalStaysBehind() throws Exception {
    assertThat(DaytonaFixture.output(session, "echo a")).isEqualTo("a\n");
    PtyUpdate start = session.ptys().start(PtyRequest.of("cat").collectFor(Duration.ofMillis(100)));
    Object unused = session.ptys().terminate(start.id());
    // Two kept shells: one for questions, one for files.
    assertThat(DaytonaFixture.until(() -> FIXTURE.sandbox(session).terminals() <= 2)).isTrue();
  }
}
