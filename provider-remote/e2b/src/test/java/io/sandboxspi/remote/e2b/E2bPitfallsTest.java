package io.sandboxspi.remote.e2b;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sandboxspi.Command;
import io.sandboxspi.Endpoint;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExitStatus;
import io.sandboxspi.PtyRequest;
import io.sandboxspi.PtyUpdate;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.core.reap.Owner;
import io.sandboxspi.core.reap.Reaper;
import io.sandboxspi.fake.Fault;
import io.sandboxspi.remote.shell.Marks;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.ListedBackend;
import io.sandboxspi.spi.Liveness;
import io.sandboxspi.spi.SandboxBackend;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * What users of E2B have met, and what becomes of it here; {@link E2bFaultsTest} has those that
 * need a sandbox of their own.
 */
@Execution(ExecutionMode.CONCURRENT)
class E2bPitfallsTest {
  private static final E2bFixture FIXTURE = new E2bFixture();
  private static SandboxSession session;

  @BeforeAll
  static void open() throws Exception {
    session = FIXTURE.open(Map.of("ports", "8080"));
  }

  @AfterAll
  static void close() {
    session.close();
    FIXTURE.close();
  }

  @Test
  void aPortThatIsNotOpenYetIsNoDeadSandbox() throws Exception {
    // The edge answers 502 for both.
    Endpoint endpoint = session.endpoint(8080);
    assertThat(endpoint.port()).isEqualTo(8080);
    assertThat(E2bFixture.output(session, "echo up")).isEqualTo("up\n");
  }

  @Test
  void aTerminalWhoseStreamIsSilentIsOpenedAgain() throws Exception {
    // A subscriber that has gone without a word holds a stream up for a quarter of an hour.
    try (E2bFixture own = new E2bFixture();
        SandboxSession other = own.open(Map.of("stream-keep-alive", "1"))) {
      own.fake.faults().on("POST /process.Process/Start", new Fault.SilentStream(3));
      PtyUpdate start =
          other
              .ptys()
              .start(
                  PtyRequest.shell("i=0; while sleep 0.2; do i=$((i+1)); echo n$i; done")
                      .collectFor(Duration.ofMillis(500)));
      StringBuilder seen = new StringBuilder(start.output());
      assertThat(
              E2bFixture.until(
                  () -> {
                    seen.append(other.ptys().poll(start.id()).output());
                    int gap = seen.indexOf("output may be missing");
                    return gap > 0 && seen.indexOf("\nn", gap) > 0;
                  }))
          .as(seen.toString())
          .isTrue();
    }
  }

  @Test
  void aStartThatIsNeverAnsweredEndsInItsTimeAndLeavesNothing() throws Exception {
    try (E2bFixture own = new E2bFixture();
        SandboxSession other = own.open(Map.of())) {
      own.fake.faults().on("POST /process.Process/Start", new Fault.SilentStream(0));
      SandboxException late =
          catchThrowableOfType(
              SandboxException.class,
              () ->
                  other.exec(
                      Command.shell("echo $$ > ran; exec sleep 300")
                          .openTimeout(Duration.ofSeconds(1))));
      assertThat(late.code()).isEqualTo(ErrorCode.OPEN_TIMEOUT);
      String pid = E2bFixture.output(other, "cat ran 2>/dev/null || :").strip();
      assertThat(
              pid.isEmpty()
                  || E2bFixture.until(() -> ProcessHandle.of(Long.parseLong(pid)).isEmpty()))
          .isTrue();
    }
  }

  @Test
  void aProcessThatKeepsAPipeOpenDoesNotHoldItsCommandUp() throws Exception {
    // The daemon tells of the end when the last holder of a pipe has gone.
    ExitStatus status =
        session
            .exec(Command.shell("sleep 60 & echo out; exit 5").timeout(Duration.ofSeconds(20)))
            .status();
    assertThat(status).isEqualTo(new ExitStatus.Exited(5));
  }

  @Test
  void aMissingProgramIsNotACodeOfTheVendors() throws Exception {
    assertThat(
            catchThrowableOfType(
                    SandboxException.class, () -> session.exec(Command.of("no-such-program")))
                .code())
        .isEqualTo(ErrorCode.COMMAND_NOT_FOUND);
    assertThat(E2bFixture.run(session, "exit 127").status()).isEqualTo(new ExitStatus.Exited(127));
  }

  @Test
  void aSignalIsTheProgramsAndNotTheVendorsMinusOne() throws Exception {
    assertThat(E2bFixture.run(session, "kill -TERM $$").status())
        .isEqualTo(new ExitStatus.Signalled(15));
  }

  @Test
  void bytesAndNamesComeUnchanged() throws Exception {
    assertThat(
            E2bFixture.run(session, "printf 'a\\377\\000\\036\\303'; printf '\\251'")
                .stdout()
                .bytes())
        .isEqualTo(new byte[] {'a', (byte) 255, 0, 30, (byte) 0xc3, (byte) 0xa9});
    byte[] large = new byte[300_000];
    large[9] = '\r';
    session.files().write("dir/a b+é&c%.bin", large);
    assertThat(session.files().read("dir/a b+é&c%.bin")).isEqualTo(large);
    session.files().write("empty", new byte[0]);
    assertThat(session.files().read("empty")).isEmpty();
  }

  @Test
  void aFullDiskIsSaid() {
    try (E2bFixture own = new E2bFixture();
        SandboxSession other = own.open(Map.of())) {
      own.fake
          .faults()
          .on(
              "POST /files",
              new Fault.Refuse(
                  507, "application/json", "{\"code\":507,\"message\":\"no space left\"}", -1));
      SandboxException failure =
          catchThrowableOfType(
              SandboxException.class, () -> other.files().write("f", new byte[300_000]));
      assertThat(failure.code()).isEqualTo(ErrorCode.FILE_FAILED);
      assertThat(failure).hasMessageContaining("no space left");
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aDownloadThatIsCutIsNoFile() throws Exception {
    try (E2bFixture own = new E2bFixture();
        SandboxSession other = own.open(Map.of())) {
      other.files().write("half", new byte[2 << 20]);
      own.fake.faults().on("GET /files", new Fault.CutStream(1));
      assertThat(
              catchThrowableOfType(SandboxException.class, () -> other.files().read("half")).code())
          .isEqualTo(ErrorCode.FILE_FAILED);
      assertThat(other.files().read("half")).hasSize(2 << 20);
    }
  }

  @Test
  void anAttachmentSendsATimeoutAndWakesWhatIsPaused() throws Exception {
    // Without one the vendor refuses, and with a short one the sandbox would end soon.
    E2bProvider provider = FIXTURE.provider();
    SandboxBackend first =
        provider.create(
            new BackendRequest("again", Map.of("on-release", "pause", "timeout", "600")),
            E2bFixture.seconds(30));
    first
        .files()
        .write(
            "kept", new java.io.ByteArrayInputStream("it".getBytes(UTF_8)), E2bFixture.seconds(10));
    Object released = first.release(E2bFixture.seconds(10));
    SandboxBackend again = provider.attach(first.ref(), E2bFixture.seconds(30));
    assertThat(again.probe(E2bFixture.seconds(10))).isEqualTo(Liveness.RUNNING);
    assertThat(again.files().stat("kept", E2bFixture.seconds(10)).size()).isEqualTo(2);
    assertThat(released).isNotNull();
    Object unused = provider.delete(first.ref(), E2bFixture.seconds(10));
    assertThat(again.probe(E2bFixture.seconds(10))).isEqualTo(Liveness.GONE);
  }

  // Forgotten sandboxes

  @Test
  void whatNobodyOwnsIsReapedAndNothingElse() throws Exception {
    try (E2bFixture own = new E2bFixture()) {
      E2bProvider provider = own.provider();
      ListedBackend orphan = made(provider, own, "orphan", Map.of());
      ListedBackend used = made(provider, own, "used", Map.of());
      ListedBackend paused = made(provider, own, "paused", Map.of());
      Object attached = attach(provider, used);
      assertThat(own.fake.sandbox(E2bRef.sandbox(paused.ref())).orElseThrow().pause()).isTrue();
      try (SandboxSession mine = own.open(Map.of())) {
        List<Reaper.Result> results = Reaper.of(provider).run();
        assertThat(fate(results, orphan.sessionId())).isEqualTo(Reaper.Fate.REMOVED);
        assertThat(fate(results, used.sessionId())).isEqualTo(Reaper.Fate.OWNED);
        assertThat(fate(results, paused.sessionId())).isEqualTo(Reaper.Fate.UNPROVEN);
        assertThat(fate(results, mine.id())).isEqualTo(Reaper.Fate.OWNED);
        assertThat(results).hasSize(4);
      }
      assertThat(attached).isNotNull();
      assertThat(own.fake.sandboxes()).isEqualTo(2);
    }
  }

  private static Reaper.Fate fate(List<Reaper.Result> results, String session) {
    return results.stream()
        .filter(result -> result.backend().sessionId().equals(session))
        .map(Reaper.Result::fate)
        .findFirst()
        .orElseThrow();
  }

  private static SandboxBackend attach(E2bProvider provider, ListedBackend listed)
      throws InterruptedException {
    return provider.attach(listed.ref(), E2bFixture.seconds(20));
  }

  /** One that a process made which has gone. */
  private static ListedBackend made(
      E2bProvider provider, E2bFixture own, String name, Map<String, String> options)
      throws InterruptedException {
    SandboxBackend backend =
        provider.create(new BackendRequest(name, options), E2bFixture.seconds(30));
    String gone = Owner.current().replaceFirst("\\.[0-9]+$", ".1");
    own.fake.sandbox(E2bRef.sandbox(backend.ref())).orElseThrow().mark(Marks.OWNER, gone);
    return new ListedBackend(backend.ref(), name, gone, java.time.Instant.now());
  }
}
