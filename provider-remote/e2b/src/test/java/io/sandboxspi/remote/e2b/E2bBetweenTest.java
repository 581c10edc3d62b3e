package io.sandboxspi.remote.e2b;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sandboxspi.Command;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.fake.Fault;
import io.sandboxspi.fake.support.UntrustedPeer;
import io.sandboxspi.spi.BackendRef;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.ListedBackend;
import io.sandboxspi.spi.Liveness;
import io.sandboxspi.spi.ReleaseOutcome;
import io.sandboxspi.spi.SandboxBackend;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What may stand between here and the vendor: wrong names, strangers, and proxies with pages. */
@Execution(ExecutionMode.CONCURRENT)
class E2bBetweenTest {
  private final E2bFixture fixture = new E2bFixture();

  @AfterEach
  void stop() {
    fixture.close();
    assertThat(fixture.fake.faults().unused()).as("faults that nobody met").isZero();
  }

  private SandboxException refusesToOpen(E2bProvider provider) {
    SandboxException failure =
        catchThrowableOfType(
            SandboxException.class, () -> E2bFixture.open(provider, Map.of()).close());
    assertThat(failure).isNotNull();
    assertThat(E2bFixture.words(failure))
        .doesNotContain(fixture.fake.settings().get("E2B_API_KEY"));
    assertThat(fixture.fake.sandboxes()).as("sandboxes left").isZero();
    return failure;
  }

  @Test
  void aDomainThatDoesNotExistIsSaid() {
    Map<String, String> settings = new HashMap<>(fixture.fake.settings());
    settings.remove("E2B_API_URL");
    settings.put("E2B_DOMAIN", "no-such.invalid");
    SandboxException failure = refusesToOpen(E2bProvider.with(settings));
    assertThat(failure.code()).isEqualTo(ErrorCode.PROVIDER_UNAVAILABLE);
    assertThat(failure).hasMessageContaining("api.no-such.invalid cannot be reached");
    assertThat(failure.retryable()).isEqualTo(Retryable.YES);
  }

  @ParameterizedTest
  @ValueSource(strings = {"E2B_API_URL", "E2B_SANDBOX_URL"})
  void aPeerThatCannotProveItselfGetsNoKey(String which, @TempDir Path dir) throws Exception {
    try (UntrustedPeer stranger = new UntrustedPeer(dir)) {
      SandboxException failure = refusesToOpen(fixture.provider(which, stranger.address()));
      assertThat(failure.code()).isEqualTo(ErrorCode.PROVIDER_UNAVAILABLE);
      assertThat(failure).hasMessageContaining("identity of localhost is not proven");
      assertThat(failure.retryable()).isEqualTo(Retryable.NO);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "200, application/json, '[1', JSON",
    "201, application/json, '[]', JSON",
    "201, application/json, '{}', sandboxID",
    "201, text/html, <html>sign in</html>, HTML",
    "403, text/html, <html>blocked</html>, HTML",
    "307, text/html, <html>moved</html>, 307",
    "407, text/html, <html>who are you</html>, 407",
  })
  void whatIsNoSandboxIsOneError(int status, String type, String body, String said) {
    fixture.fake.faults().on("POST /sandboxes", new Fault.Refuse(status, type, body, -1));
    assertThat(refusesToOpen(fixture.provider())).hasMessageContaining(said);
  }

  @Test
  void aPageInTheDaemonsPlaceIsOneErrorAndEndsNothing() throws Exception {
    try (SandboxSession session = fixture.open(Map.of())) {
      fixture.fake.faults().on("POST /process.Process/Start", Fault.page(404));
      SandboxException failure =
          catchThrowableOfType(SandboxException.class, () -> session.exec(Command.of("true")));
      assertThat(failure.code()).isIn(ErrorCode.LAUNCH_FAILED, ErrorCode.TRANSPORT);
      assertThat(failure).hasMessageContaining("HTML");
      assertThat(E2bFixture.output(session, "echo on")).isEqualTo("on\n");
    }
  }

  // A page says nothing of the sandbox

  private SandboxBackend made() throws InterruptedException {
    return fixture
        .provider()
        .create(new BackendRequest("between", Map.of()), E2bFixture.seconds(30));
  }

  private SandboxException refusesToAttach(BackendRef ref) {
    return catchThrowableOfType(
        SandboxException.class,
        () -> {
          Object unused = fixture.provider().attach(ref, E2bFixture.seconds(20));
        });
  }

  private SandboxException refusesToDelete(BackendRef ref) {
    return catchThrowableOfType(
        SandboxException.class,
        () -> {
          Object unused = fixture.provider().delete(ref, E2bFixture.seconds(20));
        });
  }

  @Test
  void onlyTheVendorSaysThatASandboxIsGone() throws Exception {
    SandboxBackend backend = made();
    BackendRef ref = backend.ref();
    String path = "/sandboxes/" + ref.data().get("sandbox");
    fixture.fake.faults().on("GET " + path, Fault.page(404));
    assertThat(backend.probe(E2bFixture.seconds(20))).isEqualTo(Liveness.UNKNOWN);
    fixture.fake.faults().on("POST " + path + "/connect", Fault.page(404));
    assertThat(refusesToAttach(ref).code()).isEqualTo(ErrorCode.TRANSPORT);
    fixture.fake.faults().on("DELETE " + path, Fault.page(404));
    assertThat(refusesToDelete(ref).code()).isEqualTo(ErrorCode.BACKEND_RELEASE_FAILED);
    assertThat(fixture.fake.sandboxes()).isEqualTo(1);
    assertThat(fixture.provider().delete(ref, E2bFixture.seconds(20)))
        .isEqualTo(ReleaseOutcome.DESTROYED);
    assertThat(fixture.provider().delete(ref, E2bFixture.seconds(20)))
        .isEqualTo(ReleaseOutcome.ALREADY_GONE);
    assertThat(refusesToAttach(ref).code()).isEqualTo(ErrorCode.BACKEND_GONE);
    assertThat(backend.probe(E2bFixture.seconds(20))).isEqualTo(Liveness.GONE);
  }

  @Test
  void aKillBehindAProxyThatIsBrokenIsNotProven() throws Exception {
    SandboxBackend backend = made();
    String path = "/sandboxes/" + backend.ref().data().get("sandbox");
    fixture.fake.faults().on("POST /process.Process/SendInput", Fault.page(404));
    fixture.fake.faults().on("GET " + path, Fault.page(404));
    assertThat(backend.kill(io.sandboxspi.spi.LaunchId.random(), E2bFixture.seconds(20)).proven())
        .isFalse();
    Object unused = fixture.provider().delete(backend.ref(), E2bFixture.seconds(20));
  }

  @Test
  void aLongListIsReadToItsEnd() throws Exception {
    fixture.fake.page(2);
    E2bProvider provider = fixture.provider();
    List<BackendRef> made = new ArrayList<>();
    for (String name : List.of("one", "two", "three")) {
      SandboxBackend backend =
          provider.create(new BackendRequest(name, Map.of()), E2bFixture.seconds(30));
      made.add(backend.ref());
    }
    assertThat(provider.list(Map.of(), E2bFixture.seconds(20)))
        .extracting(ListedBackend::sessionId)
        .containsExactlyInAnyOrder("one", "two", "three");
    for (BackendRef each : made) {
      Object unused = provider.delete(each, E2bFixture.seconds(20));
    }
    assertThat(provider.list(Map.of(), E2bFixture.seconds(20))).isEmpty();
  }
}
