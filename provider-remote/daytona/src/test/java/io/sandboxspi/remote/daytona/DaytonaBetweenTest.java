package io.sandboxspi.remote.daytona;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.fake.Fault;
import io.sandboxspi.fake.daytona.DaytonaFake;
import io.sandboxspi.fake.support.UntrustedPeer;
import io.sandboxspi.spi.BackendRef;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.ListedBackend;
import io.sandboxspi.spi.Liveness;
import io.sandboxspi.spi.ReleaseOutcome;
import io.sandboxspi.spi.SandboxBackend;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What may stand between here and the vendor: wrong names, strangers, and proxies with pages. */
@Execution(ExecutionMode.CONCURRENT)
class DaytonaBetweenTest {
  private final DaytonaFixture fixture = new DaytonaFixture();

  @AfterEach
  void stop() {
    fixture.close();
    assertThat(fixture.fake.faults().unused()).as("faults that nobody met").isZero();
  }

  private SandboxException refusesToOpen(DaytonaProvider provider) throws Exception {
    SandboxException failure =
        catchThrowableOfType(
            SandboxException.class, () -> DaytonaFixture.open(provider, Map.of()).close());
    assertThat(failure).isNotNull();
    assertThat(DaytonaFixture.words(failure)).doesNotContain(DaytonaFake.KEY);
    assertThat(DaytonaFixture.until(() -> fixture.fake.sandboxes() == 0))
        .as("none is left")
        .isTrue();
    return failure;
  }

  @Test
  void aNameThatDoesNotExistIsSaid() throws Exception {
    SandboxException failure =
        refusesToOpen(fixture.provider("DAYTONA_API_URL", "https://no-such.invalid/api"));
    assertThat(failure.code()).isEqualTo(ErrorCode.PROVIDER_UNAVAILABLE);
    assertThat(failure).hasMessageContaining("no-such.invalid cannot be reached");
    assertThat(failure.retryable()).isEqualTo(Retryable.YES);
  }

  @ParameterizedTest
  @CsvSource({"DAYTONA_API_URL, /api", "DAYTONA_TOOLBOX_URL, /{id}"})
  void aPeerThatCannotProveItselfGetsNoKey(String which, String path, @TempDir Path dir)
      throws Exception {
    try (UntrustedPeer stranger = new UntrustedPeer(dir)) {
      SandboxException failure = refusesToOpen(fixture.provider(which, stranger.address() + path));
      assertThat(failure.code()).isEqualTo(ErrorCode.PROVIDER_UNAVAILABLE);
      assertThat(failure).hasMessageContaining("identity of localhost is not proven");
      assertThat(failure.retryable()).isEqualTo(Retryable.NO);
    }
  }

  // A page says nothing of the sandbox

  private static Deadline soon() {
    return DaytonaFixture.seconds(20);
  }

  private SandboxException refusesToAttach(BackendRef ref) {
    return catchThrowableOfType(
        SandboxException.class,
        () -> {
          Object unused = fixture.provider().attach(ref, soon());
        });
  }

  private SandboxException refusesToDelete(BackendRef ref) {
    return catchThrowableOfType(
        SandboxException.class,
        () -> {
          Object unused = fixture.provider().delete(ref, soon());
        });
  }

  @Test
  void onlyTheVendorSaysThatASandboxIsGone() throws Exception {
    SandboxBackend backend =
        fixture.provider().create(new BackendRequest("between", Map.of()), soon());
    BackendRef ref = backend.ref();
    String path = "/api/sandbox/" + ref.data().get("sandbox");
    fixture.fake.faults().on("GET " + path, Fault.page(404));
    assertThat(backend.probe(soon())).isEqualTo(Liveness.UNKNOWN);
    fixture.fake.faults().on("GET " + path, Fault.page(404));
    assertThat(refusesToAttach(ref).code()).isNotEqualTo(ErrorCode.BACKEND_GONE);
    fixture.fake.faults().on("DELETE " + path, Fault.page(404));
    assertThat(refusesToDelete(ref).code()).isEqualTo(ErrorCode.BACKEND_RELEASE_FAILED);
    assertThat(fixture.fake.sandboxes()).isEqualTo(1);
    assertThat(fixture.provider().delete(ref, soon())).isEqualTo(ReleaseOutcome.DESTROYED);
    assertThat(fixture.provider().delete(ref, soon())).isEqualTo(ReleaseOutcome.ALREADY_GONE);
    assertThat(refusesToAttach(ref).code()).isEqualTo(ErrorCode.BACKEND_GONE);
    assertThat(backend.probe(soon())).isEqualTo(Liveness.GONE);
  }

  @Test
  void aLongListIsReadToItsEnd() throws Exception {
    fixture.fake.page(2);
    DaytonaProvider provider = fixture.provider();
    List<BackendRef> made = new ArrayList<>();
    for (String name : List.of("one", "two", "three")) {
      SandboxBackend backend =
          provider.create(new BackendRequest(name, Map.of()), DaytonaFixture.seconds(30));
      made.add(backend.ref());
    }
    assertThat(provider.list(Map.of(), DaytonaFixture.seconds(20)))
        .extracting(ListedBackend::sessionId)
        .containsExactlyInAnyOrder("one", "two", "three");
    for (BackendRef each : made) {
      Object unused = provider.delete(each, DaytonaFixture.seconds(20));
    }
    assertThat(provider.list(Map.of(), DaytonaFixture.seconds(20))).isEmpty();
  }
}
