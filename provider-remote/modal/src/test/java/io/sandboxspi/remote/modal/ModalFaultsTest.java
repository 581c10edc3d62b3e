package io.sandboxspi.remote.modal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sandboxspi.Command;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExecResult;
import io.sandboxspi.ExitStatus;
import io.sandboxspi.PtyEndReason;
import io.sandboxspi.PtyRequest;
import io.sandboxspi.PtyUpdate;
import io.sandboxspi.Retryable;
import io.sandboxspi.RunningCommand;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.Stdin;
import io.sandboxspi.fake.Fault;
import io.sandboxspi.fake.Posix;
import io.sandboxspi.fake.modal.ModalFake;
import io.sandboxspi.fake.support.VendorFixture;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sessions whose calls, streams and connections fail. */
@Execution(ExecutionMode.CONCURRENT)
class ModalFaultsTest {
  private static final String START = "TaskExecStart";
  private static final String READ = "TaskExecStdioRead";
  private static final String COUNT = "seq 1 60000";

  /** Ends with its input: one that ends by itself may do so before a write knows that it came. */
  private static final String ECHOING = "read x; echo \"got $x\"; cat";

  private final Fixture fixture = new Fixture(ModalFake.relayed());

  @AfterEach
  void stop() {
    fixture.close();
    assertThat(fixture.fake().faults().unused()).as("faults that nobody met").isZero();
  }

  private SandboxSession open() throws InterruptedException {
    SandboxSession session = fixture.open(Map.of());
    // The kept shell has its streams then, too.
    assertThat(VendorFixture.output(session, "echo up")).isEqualTo("up\n");
    session.files().write("up", new byte[0]);
    return session;
  }

  /** Processes of the sandbox that sleep, by the machine's process table. */
  private long sleepers(SandboxSession session) {
    return Posix.with(fixture.sandbox(session).mark()).stream()
        .map(ProcessHandle::of)
        .flatMap(Optional::stream)
        .filter(process -> process.info().commandLine().orElse("").contains("sleep 60"))
        .count();
  }

  private static String numbers() {
    return IntStream.rangeClosed(1, 60_000)
        .mapToObj(number -> number + "\n")
        .collect(Collectors.joining());
  }

  // Launching

  @ParameterizedTest
  @ValueSource(strings = {"cut before", "cut after", "500", "503", "401"})
  void aLaunchThatIsSentAgainRunsOnce(String how) throws Exception {
    try (SandboxSession session = open()) {
      fixture
          .fake()
          .faults()
          .on(
              START,
              switch (how) {
                case "cut before" -> new Fault.CutBefore();
                case "cut after" -> new Fault.CutAfter();
                default -> Fault.error(Integer.parseInt(how));
              });
      assertThat(VendorFixture.output(session, "echo ran >> ran; cat ran")).isEqualTo("ran\n");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"stall", "400"})
  void aLaunchThatFailsLeavesNothing(String how) throws Exception {
    try (SandboxSession session = open()) {
      fixture.fake().faults().on(START, how.equals("stall") ? new Fault.Stall() : Fault.error(400));
      SandboxException failure =
          catchThrowableOfType(
              SandboxException.class,
              () ->
                  session.exec(
                      Command.shell("sleep 60 & sleep 60").openTimeout(Duration.ofSeconds(1))));
      assertThat(failure.code()).isIn(ErrorCode.OPEN_TIMEOUT, ErrorCode.LAUNCH_FAILED);
      assertThat(failure.retryable()).isNotEqualTo(Retryable.YES);
      assertThat(VendorFixture.until(() -> sleepers(session) == 0)).isTrue();
      assertThat(VendorFixture.output(session, "echo on")).isEqualTo("on\n");
    }
  }

  // Output

  @ParameterizedTest
  @ValueSource(strings = {"cut", "401", "503", "500"})
  void outputGoesOnWhereItsStreamBroke(String how) throws Exception {
    try (SandboxSession session = open()) {
      Fault fault = how.equals("cut") ? new Fault.CutStream(2) : Fault.error(Integer.parseInt(how));
      fixture.fake().faults().on(READ, fault);
      ExecResult result = session.exec(Command.shell(COUNT + "; exit 4"));
      assertThat(result.stdout().text()).isEqualTo(numbers());
      assertThat(result.status()).isEqualTo(new ExitStatus.Exited(4));
    }
  }

  @Test
  void aTerminalGoesOnWhereItsStreamBroke() throws Exception {
    try (SandboxSession session = open()) {
      fixture.fake().faults().on(READ, new Fault.CutStream(1), new Fault.CutStream(1));
      PtyUpdate update =
          session.ptys().start(PtyRequest.of("cat").collectFor(Duration.ofMillis(300)));
      StringBuilder seen = new StringBuilder(update.output());
      for (int i = 0; i < 4; i++) {
        seen.append(session.ptys().write(update.id(), "line" + i + "\n").output());
      }
      // Echoed by the terminal and printed by the program.
      String last = "line3\r\nline3\r\n";
      String all = VendorFixture.seen(session, update.id(), seen.toString(), last);
      String expected =
          IntStream.range(0, 4).mapToObj(i -> ("line" + i).repeat(2)).collect(Collectors.joining());
      assertThat(all.replace("\r\n", "")).hasSameSizeAs(expected).endsWith("line3line3");
    }
  }

  @Test
  void outputIsLostOnlyWhenItCannotBeReadAtAll() throws Exception {
    try (SandboxSession session = open()) {
      fixture.fake().faults().on(READ, Fault.error(400));
      SandboxException failure =
          catchThrowableOfType(
              SandboxException.class, () -> session.exec(Command.shell("sleep 60")));
      assertThat(failure.code()).isEqualTo(ErrorCode.TRANSPORT);
      assertThat(VendorFixture.until(() -> sleepers(session) == 0)).isTrue();
    }
  }

  @Test
  void allConnectionsMayBeCutAtOnce() throws Exception {
    try (SandboxSession session = open();
        RunningCommand running = session.start(Command.shell(ECHOING).stdin(Stdin.pipe()))) {
      fixture.fake().relay().cutAll();
      running.stdin().write("it\n".getBytes(UTF_8));
      running.stdin().close();
      assertThat(running.await().stdout().text()).isEqualTo("got it\n");
      assertThat(session.files().read("up")).isEmpty();
    }
  }

  @Test
  void tokensThatEndAreFetchedAgainUnderOpenStreams() throws Exception {
    try (SandboxSession session = open();
        RunningCommand running = session.start(Command.shell(ECHOING).stdin(Stdin.pipe()))) {
      fixture.fake().tokens().expire();
      fixture.fake().relay().cutAll();
      running.stdin().write("it\n".getBytes(UTF_8));
      running.stdin().close();
      assertThat(running.await().stdout().text()).isEqualTo("got it\n");
      assertThat(VendorFixture.output(session, "echo on")).isEqualTo("on\n");
    }
  }

  // Input

  @ParameterizedTest
  @ValueSource(strings = {"cut after", "cut before", "503"})
  void inputComesOnceAlsoWhenItsAnswerIsLost(String how) throws Exception {
    try (SandboxSession session = open();
        RunningCommand running =
            session.start(Command.shell("cat; echo end").stdin(Stdin.pipe()))) {
      fixture
          .fake()
          .faults()
          .on(
              "TaskExecStdinWrite",
              switch (how) {
                case "cut after" -> new Fault.CutAfter();
                case "cut before" -> new Fault.CutBefore();
                default -> Fault.error(503);
              });
      running.stdin().write("once\n".getBytes(UTF_8));
      running.stdin().write("and again\n".getBytes(UTF_8));
      running.stdin().close();
      assertThat(running.await().stdout().text()).isEqualTo("once\nand again\nend\n");
    }
  }

  @Test
  void whatBecameOfInputIsAskedAfterAWriteThatHadNoAnswer() throws Exception {
    try (SandboxSession session = open()) {
      PtyUpdate update =
          session.ptys().start(PtyRequest.of("cat").collectFor(Duration.ofMillis(300)));
      fixture.fake().faults().on("TaskExecStdinWrite", new Fault.Stall());
      SandboxException failure =
          catchThrowableOfType(
              SandboxException.class,
              () ->
                  session
                      .ptys()
                      .write(update.id(), "one\n", io.sandboxspi.YieldOptions.forWrite()));
      assertThat(failure.code()).isEqualTo(ErrorCode.WRITE_TIMEOUT);
      String seen =
          VendorFixture.seen(
              session,
              update.id(),
              session.ptys().write(update.id(), "two\n").output(),
              "two\r\ntwo\r\n");
      assertThat(seen.split("one", -1)).as("typed once, printed once").hasSize(3);
      assertThat(fixture.fake().faults().count("TaskExecStdinStatus")).isEqualTo(1);
    }
  }

  @Test
  void inputThatMeetsTheEndIsNoError() throws Exception {
    try (SandboxSession session = open()) {
      PtyUpdate update =
          session.ptys().start(PtyRequest.of("cat").collectFor(Duration.ofMillis(300)));
      fixture.fake().faults().on("TaskExecStdinWrite", Fault.error(400));
      PtyUpdate after = session.ptys().write(update.id(), "x\n");
      assertThat(after.output()).doesNotContain("x");
    }
  }

  // The sandbox

  @Test
  void aSandboxWhoseTimeIsOverUnderATerminalIsGoneAndNeverReplaced() throws Exception {
    SandboxSession session = open();
    PtyUpdate update =
        session.ptys().start(PtyRequest.of("cat").collectFor(Duration.ofMillis(300)));
    fixture.sandbox(session).timedOut();
    PtyUpdate end = session.ptys().poll(update.id());
    assertThat(end.endReason()).contains(PtyEndReason.LOST);
    SandboxException failure =
        catchThrowableOfType(SandboxException.class, () -> session.exec(Command.of("true")));
    assertThat(failure.code()).isEqualTo(ErrorCode.BACKEND_GONE);
    session.close();
    assertThat(fixture.fake().faults().count("SandboxCreateV2")).isEqualTo(1);
  }

  @Test
  void aConnectionThatIsHeldIsBoundedByDeadlines() throws Exception {
    SandboxSession session = open();
    fixture.fake().relay().hold();
    long begun = System.nanoTime();
    SandboxException failure =
        catchThrowableOfType(
            SandboxException.class,
            () -> session.exec(Command.of("true").openTimeout(Duration.ofSeconds(1))));
    assertThat(failure.code()).isEqualTo(ErrorCode.OPEN_TIMEOUT);
    assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(20));
    fixture.fake().relay().goOn();
    session.close();
    assertThat(fixture.fake().sandboxes()).isZero();
  }
}
