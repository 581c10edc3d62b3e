package io.sandboxspi.remote.daytona;

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
import io.sandboxspi.fake.daytona.DaytonaFake;
import io.sandboxspi.spi.Availability;
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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Snapshots by the vendor. */
@Execution(ExecutionMode.CONCURRENT)
class DaytonaSnapshotsTest {
  private final DaytonaFixture fixture = new DaytonaFixture();
  private final DaytonaProvider provider = fixture.provider(Settings.SNAPSHOTS, "vendor");
  private final NativeSnapshots snapshots = provider.nativeSnapshots().orElseThrow();

  @AfterEach
  void stop() {
    fixture.close();
    assertThat(fixture.fake.faults().unused()).as("faults that nobody met").isZero();
  }

  private SandboxBackend made() throws InterruptedException {
    return provider.create(new BackendRequest("made", Map.of()), DaytonaFixture.seconds(30));
  }

  private String begin(SandboxBackend backend) {
    return "POST /api/sandbox/" + backend.ref().data().get("sandbox") + "/snapshot";
  }

  private void gone(SandboxBackend backend) throws InterruptedException {
    assertThat(provider.delete(backend.ref(), DaytonaFixture.seconds(20)))
        .isEqualTo(ReleaseOutcome.DESTROYED);
  }

  private SandboxException refusesToTake(SandboxBackend backend, int seconds) {
    SandboxException failure =
        catchThrowableOfType(
            SandboxException.class,
            () -> snapshots.take(backend.ref(), DaytonaFixture.seconds(seconds)));
    assertThat(failure).isNotNull();
    assertThat(failure.code()).isEqualTo(ErrorCode.SNAPSHOT_FAILED);
    assertThat(DaytonaFixture.words(failure)).doesNotContain(DaytonaFake.KEY);
    return failure;
  }

  @Test
  void theyHoldWhatWasWrittenLastAndOldOnesGo() throws Exception {
    assertThat(provider.capabilities()).contains(Capability.NATIVE_SNAPSHOTS);
    assertThat(fixture.provider().capabilities()).doesNotContain(Capability.NATIVE_SNAPSHOTS);
    String space = UUID.randomUUID().toString();
    SandboxSpec spec =
        SandboxSpec.builder()
            .option("image", "debian:12")
            .option("cpu", "2")
            .snapshots(
                SnapshotPolicy.in(MemorySnapshots.NAME)
                    .option(MemorySnapshots.SPACE, space)
                    .keep(1))
            .build();
    try {
      SandboxSession session = EngineSession.open(provider, spec, EngineOptions.defaults());
      session.files().write("dir/a", "one".getBytes(UTF_8));
      Object unused = session.stop();
      session.files().write("dir/a", "two".getBytes(UTF_8));
      session.close();
      assertThat(fixture.fake.sandboxes()).isZero();
      assertThat(fixture.fake.snapshots()).as("the older one is deleted").isEqualTo(1);
      Checkpoint checkpoint = session.checkpoint();
      assertThat(checkpoint.snapshot().map(Snapshot::kind)).contains(Snapshot.Kind.NATIVE);
      assertThat(checkpoint.snapshot().orElseThrow().toString()).doesNotContain(DaytonaFake.KEY);
      SandboxSession again =
          EngineSession.resume(provider, checkpoint, spec, false, EngineOptions.defaults());
      assertThat(DaytonaFixture.output(again, "cat dir/a")).isEqualTo("two");
      assertThat(fixture.sandbox(again).config().has("cpu")).isFalse();
      again.delete();
    } finally {
      MemorySnapshots.clear(space);
    }
  }

  @Test
  void oneIsDeletedOnceAndAgain() throws Exception {
    SandboxBackend backend = made();
    Map<String, String> taken = snapshots.take(backend.ref(), DaytonaFixture.seconds(20));
    gone(backend);
    SandboxBackend again =
        snapshots.restore(new BackendRequest("again", Map.of()), taken, DaytonaFixture.seconds(30));
    snapshots.delete(taken, DaytonaFixture.seconds(10));
    snapshots.delete(taken, DaytonaFixture.seconds(10));
    assertThat(fixture.fake.snapshots()).isZero();
    gone(again);
    SandboxException failure =
        catchThrowableOfType(
            SandboxException.class,
            () ->
                snapshots.restore(
                    new BackendRequest("third", Map.of()), taken, DaytonaFixture.seconds(30)));
    assertThat(failure.code()).isEqualTo(ErrorCode.CREATE_FAILED);
    assertThat(fixture.fake.sandboxes()).isZero();
  }

  @Test
  void oneWhoseBeginningGotNoAnswerIsFoundByItsName() throws Exception {
    SandboxBackend backend = made();
    fixture.fake.faults().on(begin(backend), new Fault.CutAfter());
    Map<String, String> taken = snapshots.take(backend.ref(), DaytonaFixture.seconds(20));
    assertThat(fixture.fake.faults().count(begin(backend))).as("sent once").isEqualTo(1);
    assertThat(fixture.fake.snapshots()).isEqualTo(1);
    snapshots.delete(taken, DaytonaFixture.seconds(10));
    gone(backend);
  }

  @Test
  void oneThatNeverReachedTheVendorIsAnError() throws Exception {
    SandboxBackend backend = made();
    fixture.fake.faults().on(begin(backend), new Fault.CutBefore());
    SandboxException failure = refusesToTake(backend, 20);
    assertThat(failure).hasMessageContaining("the connection broke");
    assertThat(fixture.fake.snapshots()).isZero();
    gone(backend);
  }

  @Test
  void oneOfASandboxThatIsChangingIsAskedForAgain() throws Exception {
    SandboxBackend backend = made();
    fixture
        .fake
        .faults()
        .on(
            begin(backend),
            new Fault.Refuse(
                409, "application/json", "{\"message\":\"Sandbox state change in progress\"}", -1));
    Map<String, String> taken = snapshots.take(backend.ref(), DaytonaFixture.seconds(20));
    assertThat(fixture.fake.faults().count(begin(backend))).isEqualTo(2);
    assertThat(taken).containsKey("snapshot");
    gone(backend);
  }

  @ParameterizedTest
  @CsvSource({
    "400, must be in started or stopped state",
    "422, Snapshots are not supported for this sandbox",
    "403, Snapshot quota exceeded",
  })
  void oneThatTheVendorRefusesIsSaidAndTheSandboxStays(int status, String said) throws Exception {
    SandboxBackend backend = made();
    fixture
        .fake
        .faults()
        .on(
            begin(backend),
            new Fault.Refuse(status, "application/json", "{\"message\":\"" + said + "\"}", -1));
    assertThat(refusesToTake(backend, 20)).hasMessageContaining(said);
    assertThat(fixture.fake.faults().count("DELETE /api/snapshots")).isZero();
    gone(backend);
  }

  @Test
  void oneThatComesToNothingIsAnErrorAlthoughNobodySaysSo() throws Exception {
    SandboxBackend backend = made();
    fixture.fake.spoilSnapshot();
    assertThat(refusesToTake(backend, 20)).hasMessageContaining("made none");
    gone(backend);
  }

  @Test
  void oneThatFailsIsSaidWithItsReasonAndRemoved() throws Exception {
    SandboxBackend backend = made();
    fixture
        .fake
        .faults()
        .on(
            "GET /api/snapshots/",
            new Fault.Refuse(
                200,
                "application/json",
                "{\"id\":\"x\",\"state\":\"error\",\"errorReason\":\"the registry is full\"}",
                -1));
    assertThat(refusesToTake(backend, 20)).hasMessageContaining("the registry is full");
    assertThat(fixture.fake.snapshots()).isZero();
    gone(backend);
  }

  @ParameterizedTest
  @ValueSource(strings = {"begin", "find"})
  void oneThatIsLateIsGivenUpInTimeAndRemoved(String where) throws Exception {
    SandboxBackend backend = made();
    fixture
        .fake
        .faults()
        .on(where.equals("begin") ? begin(backend) : "GET /api/snapshots/", new Fault.Stall());
    SandboxException failure = refusesToTake(backend, 2);
    assertThat(failure.context()).containsEntry("failure", "TIMEOUT");
    assertThat(DaytonaFixture.until(() -> fixture.fake.snapshots() == 0)).isTrue();
    gone(backend);
  }

  @Test
  void aSandboxThatIsGoneHasNone() throws Exception {
    SandboxBackend backend = made();
    gone(backend);
    assertThat(refusesToTake(backend, 20)).hasMessageContaining("not found");
  }

  @Test
  void badSettingsAndReferencesAreSaid() {
    assertThat(fixture.provider(Settings.SNAPSHOTS, "memory").availability())
        .isInstanceOfSatisfying(
            Availability.Unavailable.class,
            no -> assertThat(no.reason()).contains(Settings.SNAPSHOTS, "archive, vendor"));
    assertThat(
            DaytonaProvider.with(
                    Map.of(
                        Settings.SNAPSHOTS, "vendor", "DAYTONA_TOOLBOX_URL", "http://127.0.0.1:1"))
                .availability())
        .isInstanceOfSatisfying(
            Availability.Unavailable.class,
            no -> assertThat(no.reason()).contains("DAYTONA_API_KEY"));
    SandboxException failure =
        catchThrowableOfType(
            SandboxException.class,
            () -> snapshots.delete(Map.of("snapshot", "default"), DaytonaFixture.seconds(5)));
    assertThat(failure.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
  }
}
