package io.sandboxspi.remote.e2b;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sandboxspi.Capability;
import io.sandboxspi.Checkpoint;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.SandboxSpec;
import io.sandboxspi.Snapshot;
import io.sandboxspi.SnapshotPolicy;
import io.sandboxspi.core.session.EngineOptions;
import io.sandboxspi.core.session.EngineSession;
import io.sandboxspi.core.snapshot.MemorySnapshots;
import io.sandboxspi.fake.Fault;
import io.sandboxspi.fake.Posix;
import io.sandboxspi.fake.e2b.E2bFake;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.NativeSnapshots;
import io.sandboxspi.spi.ReleaseOutcome;
import io.sandboxspi.spi.SandboxBackend;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Snapshots by the vendor. */
@Execution(ExecutionMode.CONCURRENT)
class E2bSnapshotsTest {
  private final E2bFixture fixture = new E2bFixture();
  private final E2bProvider provider = fixture.provider("SANDBOX_E2B_SNAPSHOTS", "vendor");
  private final NativeSnapshots snapshots = provider.nativeSnapshots().orElseThrow();

  @AfterEach
  void stop() {
    fixture.close();
    assertThat(fixture.fake.faults().unused()).as("faults that nobody met").isZero();
  }

  private SandboxBackend made() throws InterruptedException {
    return provider.create(new BackendRequest("made", Map.of()), E2bFixture.seconds(30));
  }

  private static String path(SandboxBackend backend) {
    return "POST /sandboxes/" + backend.ref().data().get("sandbox") + "/snapshots";
  }

  private void gone(SandboxBackend backend) throws InterruptedException {
    assertThat(provider.delete(backend.ref(), E2bFixture.seconds(20)))
        .isEqualTo(ReleaseOutcome.DESTROYED);
  }

  private SandboxException refusesToTake(SandboxBackend backend, int seconds) {
    SandboxException failure =
        catchThrowableOfType(
            SandboxException.class,
            () -> snapshots.take(backend.ref(), E2bFixture.seconds(seconds)));
    assertThat(failure).isNotNull();
    assertThat(failure.code()).isEqualTo(ErrorCode.SNAPSHOT_FAILED);
    assertThat(E2bFixture.words(failure)).doesNotContain(E2bFake.KEY);
    return failure;
  }

  @Test
  void theyHoldWhatWasWrittenLastAndOldOnesGo() throws Exception {
    assertThat(provider.capabilities()).contains(Capability.NATIVE_SNAPSHOTS);
    assertThat(fixture.provider().capabilities()).doesNotContain(Capability.NATIVE_SNAPSHOTS);
    String space = UUID.randomUUID().toString();
    SandboxSpec spec =
        SandboxSpec.builder()
            .snapshots(
                SnapshotPolicy.in(MemorySnapshots.NAME)
                    .option(MemorySnapshots.SPACE, space)
                    .keep(1))
            .build();
    try {
      SandboxSession session = EngineSession.open(provider, spec, EngineOptions.defaults());
      session.files().write("dir/a", "one".getBytes(UTF_8));
      Object unused = session.stop();
      // Its streams were cut and its token changed.
      session.files().write("dir/a", "two".getBytes(UTF_8));
      assertThat(E2bFixture.output(session, "cat dir/a")).isEqualTo("two");
      session.close();
      assertThat(fixture.fake.sandboxes()).isZero();
      assertThat(fixture.fake.snapshots()).as("the older one is deleted").isEqualTo(1);
      Checkpoint checkpoint = session.checkpoint();
      assertThat(checkpoint.snapshot().map(Snapshot::kind)).contains(Snapshot.Kind.NATIVE);
      SandboxSession again =
          EngineSession.resume(provider, checkpoint, spec, false, EngineOptions.defaults());
      assertThat(E2bFixture.output(again, "cat dir/a")).isEqualTo("two");
      again.delete();
    } finally {
      MemorySnapshots.clear(space);
    }
  }

  @Test
  void nothingOfThisSideIsInTheMemory() throws Exception {
    SandboxBackend backend = made();
    String sandbox = "E2B_SANDBOX_ID=" + backend.ref().data().get("sandbox");
    assertThat(Posix.with(sandbox)).as("the kept shell").isNotEmpty();
    Map<String, String> taken = snapshots.take(backend.ref(), E2bFixture.seconds(20));
    assertThat(E2bFixture.until(() -> Posix.with(sandbox).isEmpty())).isTrue();
    SandboxBackend again =
        snapshots.restore(new BackendRequest("again", Map.of()), taken, E2bFixture.seconds(30));
    snapshots.delete(taken, E2bFixture.seconds(10));
    snapshots.delete(taken, E2bFixture.seconds(10));
    assertThat(fixture.fake.snapshots()).isZero();
    gone(backend);
    gone(again);
  }

  @ParameterizedTest
  @ValueSource(strings = {"cut", "504", "page"})
  void oneThatGotNoAnswerIsFoundByItsName(String how) throws Exception {
    SandboxBackend backend = made();
    fixture
        .fake
        .faults()
        .on(
            path(backend),
            switch (how) {
              case "cut" -> new Fault.CutAfter();
              case "504" ->
                  new Fault.AnswerAfter(504, "application/json", "{\"message\":\"late\"}");
              default -> new Fault.AnswerAfter(200, "text/html", "<html>sign in</html>");
            });
    Map<String, String> taken = snapshots.take(backend.ref(), E2bFixture.seconds(20));
    assertThat(fixture.fake.faults().count(path(backend))).as("sent once").isEqualTo(1);
    snapshots.delete(taken, E2bFixture.seconds(10));
    assertThat(fixture.fake.snapshots()).isZero();
    gone(backend);
  }

  @Test
  void aBusyNodeIsAskedAgain() throws Exception {
    SandboxBackend backend = made();
    fixture.fake.faults().on(path(backend), Fault.error(503), Fault.error(409));
    assertThat(snapshots.take(backend.ref(), E2bFixture.seconds(20))).isNotEmpty();
    assertThat(fixture.fake.faults().count(path(backend))).isEqualTo(3);
    gone(backend);
  }

  @Test
  void oneThatTheVendorRefusesIsSaidAndTheSandboxStays() throws Exception {
    SandboxBackend backend = made();
    fixture.fake.faults().on(path(backend), Fault.error(400));
    assertThat(refusesToTake(backend, 20)).hasMessageContaining("it failed");
    assertThat(fixture.fake.faults().count("GET /snapshots")).isZero();
    gone(backend);
    assertThat(refusesToTake(backend, 20).context()).containsEntry("status", "404");
  }

  @Test
  void oneThatIsLateIsGivenUpInTimeAndRemoved() throws Exception {
    SandboxBackend backend = made();
    fixture.fake.faults().on(path(backend), new Fault.Stall());
    SandboxException failure = refusesToTake(backend, 2);
    assertThat(failure.context()).containsEntry("failure", "TIMEOUT");
    assertThat(E2bFixture.until(() -> fixture.fake.snapshots() == 0)).isTrue();
    gone(backend);
  }

  @Test
  void aReferenceOfAnotherFormIsRefused() {
    SandboxException failure =
        catchThrowableOfType(
            SandboxException.class,
            () -> snapshots.delete(Map.of("snapshot", "../x"), E2bFixture.seconds(5)));
    assertThat(failure.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
  }
}
