package io.sandboxspi.remote.blaxel;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sandboxspi.Command;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.PtyEndReason;
import io.sandboxspi.PtyRequest;
import io.sandboxspi.PtyUpdate;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.fake.Fault;
import io.sandboxspi.fake.blaxel.BlaxelFake;
import io.sandboxspi.fake.support.UntrustedPeer;
import io.sandboxspi.spi.Availability;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.Deadline;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One typed error for each thing that goes wrong, nothing left, no secret in the text. */
@Execution(ExecutionMode.CONCURRENT)
class BlaxelFaultsTest {
  private static final String CREATE = "POST /v0/sandboxes";

  private final BlaxelFixture fixture = new BlaxelFixture();

  @AfterEach
  void stop() {
    fixture.close();
  }

  private SandboxException refusesToOpen(BlaxelProvider provider, Map<String, String> options)
      throws Exception {
    SandboxException failure =
        catchThrowableOfType(
            SandboxException.class, () -> BlaxelFixture.open(provider, options).close());
    assertThat(failure).isNotNull();
    assertThat(BlaxelFixture.words(failure)).doesNotContain(BlaxelFake.KEY);
    assertThat(BlaxelFixture.until(() -> fixture.fake.sandboxes() == 0))
        .as("none is left")
        .isTrue();
    return failure;
  }

  @Test
  void aMissingKeyIsSaidBeforeAnythingIsAsked() throws Exception {
    BlaxelProvider bare = BlaxelProvider.with(Map.of());
    assertThat(bare.availability())
        .isInstanceOfSatisfying(
            Availability.Unavailable.class, no -> assertThat(no.reason()).contains("BL_API_KEY"));
    assertThat(refusesToOpen(bare, Map.of()).code()).isEqualTo(ErrorCode.PROVIDER_UNAVAILABLE);
  }

  @ParameterizedTest
  @CsvSource({"BL_API_KEY, bl_wrong", "BL_WORKSPACE, other"})
  void aWrongKeyOrWorkspaceIsSaid(String setting, String value) throws Exception {
    SandboxException failure = refusesToOpen(fixture.provider(setting, value), Map.of());
    assertThat(failure.code()).isEqualTo(ErrorCode.PROVIDER_UNAVAILABLE);
    assertThat(failure.context()).containsEntry("status", "401");
  }

  @Test
  void anAddressThatLeadsNowhereWasNotAskedForAnything() throws Exception {
    SandboxException failure =
        refusesToOpen(fixture.provider("BL_API_URL", "http://127.0.0.1:1/v0"), Map.of());
    assertThat(failure.code()).isEqualTo(ErrorCode.PROVIDER_UNAVAILABLE);
    assertThat(failure.retryable()).isEqualTo(Retryable.YES);
  }

  @Test
  void aPeerThatCannotProveItselfIsNotTalkedTo(@TempDir Path directory) throws Exception {
    try (UntrustedPeer peer = new UntrustedPeer(directory)) {
      SandboxException failure =
          refusesToOpen(fixture.provider("BL_API_URL", peer.address() + "/v0"), Map.of());
      assertThat(failure.code()).isEqualTo(ErrorCode.PROVIDER_UNAVAILABLE);
      assertThat(failure.context()).containsEntry("failure", "TLS");
      assertThat(failure.retryable()).isEqualTo(Retryable.NO);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "402, application/json, '{\"code\":\"QUOTA_EXCEEDED\",\"message\":\"no more\"}', no more",
    "402, application/json, '{\"error\":{\"code\":\"X\",\"message\":\"inner\"}}', inner",
    "400, application/json, '{\"error\":\"plain words\"}', plain words",
    "200, application/json, '[1', JSON",
    "200, text/html, <html>sign in</html>, HTML",
    "307, text/html, <html>moved</html>, 307",
  })
  void whatIsNoSandboxIsOneError(int status, String type, String body, String said)
      throws Exception {
    fixture.fake.faults().on(CREATE, new Fault.Refuse(status, type, body, -1));
    SandboxException failure = refusesToOpen(fixture.provider(), Map.of());
    assertThat(failure.code()).isEqualTo(ErrorCode.CREATE_FAILED);
    assertThat(failure).hasMessageContaining(said);
  }

  @Test
  void anUnknownImageIsSaidWithTheVendorsCode() throws Exception {
    SandboxException failure = refusesToOpen(fixture.provider(), Map.of("image", "none"));
    assertThat(failure.code()).isEqualTo(ErrorCode.CREATE_FAILED);
    assertThat(failure.context()).containsEntry("vendorCode", "INVALID_IMAGE");
  }

  @Test
  void aCreationWhoseAnswerIsLostLeavesNothing() throws Exception {
    fixture.fake.faults().on(CREATE, new Fault.CutAfter());
    SandboxException failure = refusesToOpen(fixture.provider(), Map.of());
    assertThat(failure.code()).isEqualTo(ErrorCode.CREATE_FAILED);
    assertThat(fixture.fake.faults().count("DELETE /v0/sandboxes/")).isPositive();
  }

  @Test
  void aServiceThatSaysNothingIsLeftInTime() throws Exception {
    fixture.fake.faults().on(CREATE, new Fault.Stall());
    SandboxException failure =
        catchThrowableOfType(
            SandboxException.class,
            () ->
                fixture
                    .provider()
                    .create(
                        new BackendRequest("stalled", Map.of()),
                        Deadline.after(Duration.ofSeconds(2))));
    assertThat(failure.code()).isEqualTo(ErrorCode.BACKEND_UNRESPONSIVE);
    assertThat(BlaxelFixture.until(() -> fixture.fake.sandboxes() == 0)).isTrue();
  }

  @Test
  void tooManyRequestsAreSentAgainWhenTheVendorSays() throws Exception {
    fixture.fake.faults().on(CREATE, Fault.tooMany(0));
    try (SandboxSession session = fixture.open(Map.of())) {
      assertThat(BlaxelFixture.output(session, "echo a")).isEqualTo("a\n");
    }
    assertThat(fixture.fake.faults().unused()).isZero();
  }

  @Test
  void aSandboxThatIsDestroyedUnderATerminalEndsIt() throws Exception {
    SandboxSession session = fixture.open(Map.of());
    PtyUpdate start = session.ptys().start(PtyRequest.of("cat").collectFor(Duration.ofMillis(250)));
    fixture.sandbox(session).destroy();
    PtyUpdate end = session.ptys().poll(start.id());
    assertThat(end.endReason()).contains(PtyEndReason.LOST);
    SandboxException failure =
        catchThrowableOfType(SandboxException.class, () -> session.exec(Command.of("true")));
    assertThat(failure.code()).isEqualTo(ErrorCode.BACKEND_GONE);
    session.close();
  }

  @ParameterizedTest
  @CsvSource({"page, HTML", "half, JSON", "huge, too long", "error, no such folder"})
  void aGreetingThatIsSpoiltIsOneErrorAndItsSandboxIsDeleted(String how, String said)
      throws Exception {
    byte[] bytes =
        switch (how) {
          case "page" -> "<html>sign in</html>\n".getBytes(UTF_8);
          case "half" -> "{\"type\":\"stdo".getBytes(UTF_8);
          case "huge" -> new byte[(4 << 20) + 1];
          default -> "{\"type\":\"error\",\"data\":\"no such folder\"}\n".getBytes(UTF_8);
        };
    java.util.Arrays.fill(bytes, 0, how.equals("huge") ? bytes.length : 0, (byte) 'x');
    fixture.fake.faults().on("POST /sbx/", new Fault.SpoilStream(0, bytes));
    SandboxException failure = refusesToOpen(fixture.provider(), Map.of());
    assertThat(failure.code()).isEqualTo(ErrorCode.CREATE_FAILED);
    assertThat(failure).hasMessageContaining(said);
  }

  @Test
  void aMessageThatIsTooLongWhileAProgramStartsIsOneError() throws Exception {
    try (SandboxSession session = fixture.open(Map.of())) {
      byte[] bytes = "x".repeat((4 << 20) + 1).getBytes(UTF_8);
      String name = session.backend().data().get("sandbox");
      fixture
          .fake
          .faults()
          .on("GET /sbx/" + name + "/terminal/ws", new Fault.SpoilStream(1, bytes));
      SandboxException failure =
          catchThrowableOfType(SandboxException.class, () -> session.exec(Command.of("true")));
      assertThat(failure.code()).isEqualTo(ErrorCode.TRANSPORT);
      assertThat(BlaxelFixture.words(failure)).doesNotContain(BlaxelFake.KEY);
      assertThat(BlaxelFixture.output(session, "echo on")).isEqualTo("on\n");
    }
  }

  @Test
  void aSandboxThatWasSwitchedOffIsSaidToBe() throws Exception {
    try (SandboxSession session = fixture.open(Map.of())) {
      fixture.fake.faults().on("GET /sbx/", Fault.error(502));
      fixture.sandbox(session).status("DEACTIVATED");
      SandboxException failure =
          catchThrowableOfType(SandboxException.class, () -> session.exec(Command.of("true")));
      assertThat(failure.code()).isEqualTo(ErrorCode.BACKEND_NOT_RUNNING);
      assertThat(failure).hasMessageContaining("DEACTIVATED");
      fixture.sandbox(session).status("DEPLOYED");
    }
  }

  @ParameterizedTest
  @CsvSource({"keep, DEPLOYED", "delete, TERMINATED"})
  void aReleaseDoesWhatTheOptionSays(String policy, String status) throws Exception {
    var backend =
        fixture
            .provider()
            .create(
                new BackendRequest("policy", Map.of("on-release", policy)),
                BlaxelFixture.seconds(30));
    backend.release(BlaxelFixture.seconds(20));
    var sandbox = fixture.fake.sandbox(backend.ref().data().get("sandbox")).orElseThrow();
    assertThat(sandbox.status()).isEqualTo(status);
  }
}
