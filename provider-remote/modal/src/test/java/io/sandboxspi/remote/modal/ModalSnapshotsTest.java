package io.sandboxspi.remote.modal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.SandboxException;
import io.sandboxspi.fake.Fault;
import io.sandboxspi.fake.support.VendorFixture;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.NativeSnapshots;
import io.sandboxspi.spi.ReleaseOutcome;
import io.sandboxspi.spi.SandboxBackend;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The vendor's snapshots, past the engine. */
@Execution(ExecutionMode.CONCURRENT)
class ModalSnapshotsTest {
  private final Fixture fixture = new Fixture();

  @AfterEach
  void stop() {
    fixture.close();
    assertThat(fixture.fake().faults().unused()).as("faults that nobody met").isZero();
  }

  private static BackendRequest request(String session) {
    return new BackendRequest(session, Map.of());
  }

  @ParameterizedTest
  @ValueSource(strings = {"filesystem", "directory"})
  void aSnapshotRightAfterTheCreationIsTaken(String kind) throws Exception {
    ModalProvider provider = fixture.provider("SANDBOX_MODAL_SNAPSHOTS", kind);
    NativeSnapshots snapshots = provider.nativeSnapshots().orElseThrow();
    SandboxBackend backend = provider.create(request("new"), VendorFixture.seconds(20));
    Map<String, String> taken = snapshots.take(backend.ref(), VendorFixture.seconds(10));
    SandboxBackend again = snapshots.restore(request("again"), taken, VendorFixture.seconds(20));
    snapshots.delete(taken, VendorFixture.seconds(5));
    snapshots.delete(taken, VendorFixture.seconds(5));
    assertThat(fixture.fake().snapshots()).isZero();
    for (SandboxBackend each : new SandboxBackend[] {backend, again}) {
      assertThat(provider.delete(each.ref(), VendorFixture.seconds(10)))
          .isEqualTo(ReleaseOutcome.DESTROYED);
    }
  }

  @Test
  void aSandboxWhoseTimeWasOverBeforeItsSnapshotIsAnError() throws Exception {
    ModalProvider provider = fixture.provider("SANDBOX_MODAL_SNAPSHOTS", "directory");
    NativeSnapshots snapshots = provider.nativeSnapshots().orElseThrow();
    SandboxBackend backend = provider.create(request("late"), VendorFixture.seconds(20));
    fixture.fake().sandbox(backend.ref().data().get("sandbox")).orElseThrow().timedOut();
    SandboxException failure =
        catchThrowableOfType(
            SandboxException.class, () -> snapshots.take(backend.ref(), VendorFixture.seconds(10)));
    assertThat(failure.code()).isEqualTo(ErrorCode.SNAPSHOT_FAILED);
    assertThat(provider.delete(backend.ref(), VendorFixture.seconds(10)))
        .isEqualTo(ReleaseOutcome.ALREADY_GONE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"cut", "stall"})
  void aWorkspaceThatMayBeMountedLaterEndsItsSandbox(String how) throws Exception {
    ModalProvider provider = fixture.provider("SANDBOX_MODAL_SNAPSHOTS", "directory");
    NativeSnapshots snapshots = provider.nativeSnapshots().orElseThrow();
    SandboxBackend backend = provider.create(request("first"), VendorFixture.seconds(20));
    Map<String, String> taken = snapshots.take(backend.ref(), VendorFixture.seconds(10));
    fixture
        .fake()
        .faults()
        .on("TaskMountDirectory", how.equals("cut") ? new Fault.CutAfter() : new Fault.Stall());
    SandboxException failure =
        catchThrowableOfType(
            SandboxException.class,
            () -> snapshots.restore(request("second"), taken, VendorFixture.seconds(3)));
    assertThat(failure.code())
        .isEqualTo(how.equals("cut") ? ErrorCode.CREATE_FAILED : ErrorCode.BACKEND_UNRESPONSIVE);
    assertThat(VendorFixture.until(() -> fixture.fake().sandboxes() == 1))
        .as("the first only")
        .isTrue();
    assertThat(fixture.fake().faults().count("TaskMountDirectory")).as("sent once").isEqualTo(1);
    Object unused = provider.delete(backend.ref(), VendorFixture.seconds(10));
  }
}
