package io.sandboxspi.core.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sandboxspi.Checkpoint;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.SandboxException;
import io.sandboxspi.Snapshot;
import io.sandboxspi.spi.BackendRef;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("S-RESUME-05")
class CheckpointsTest {
  private static final Checkpoint FULL =
      Checkpoint.of("local", "abc-1", 7)
          .backend(new BackendRef("local", Map.of("base", "/tmp/x y", "owned", "true")))
          .snapshot(
              new Snapshot(
                  "local",
                  "abc-1",
                  6,
                  Snapshot.Kind.ARCHIVE,
                  "f00d",
                  12,
                  Instant.parse("2026-01-02T03:04:05Z"),
                  Map.of("k", "\"ü\n")));

  private static void refused(ErrorCode code, String text) {
    assertThatThrownBy(() -> Checkpoints.fromJson(text))
        .isInstanceOfSatisfying(SandboxException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  @Test
  void whatIsWrittenIsReadAgain() {
    assertThat(Checkpoints.fromJson(Checkpoints.toJson(FULL))).isEqualTo(FULL);
    Checkpoint bare = Checkpoint.of("local", "abc", 0);
    assertThat(Checkpoints.fromJson(Checkpoints.toJson(bare))).isEqualTo(bare);
    assertThat(Checkpoints.toJson(FULL)).doesNotContain("\n");
  }

  /** A document of this version as it was first written: later versions must go on reading it. */
  @Test
  void theFirstFormIsReadForEver() {
    String first =
        "{\"format\":\"sandbox-checkpoint\",\"major\":1,\"minor\":0,\"definitive\":true,"
            + "\"provider\":\"local\",\"lineage\":\"abc-1\",\"oldest\":7,"
            + "\"backend\":{\"provider\":\"local\",\"data\":{\"base\":\"/tmp/x y\","
            + "\"owned\":\"true\"}},\"snapshot\":{\"store\":\"local\",\"lineage\":\"abc-1\","
            + "\"sequence\":6,\"kind\":\"archive\",\"fingerprint\":\"f00d\",\"size\":12,"
            + "\"created\":\"2026-01-02T03:04:05Z\",\"data\":{\"k\":\"\\\"ü\\n\"}}}";
    assertThat(Checkpoints.fromJson(first)).isEqualTo(FULL);
  }

  @Test
  void fieldsOfALaterMinorVersionArePassedOver() {
    String later =
        Checkpoints.toJson(FULL)
            .replace("\"minor\":0", "\"minor\":9,\"more\":[1,{\"a\":null}],\"half\":0.5");
    assertThat(Checkpoints.fromJson(later)).isEqualTo(FULL);
  }

  @Test
  void aLaterMajorVersionIsRefused() {
    refused(
        ErrorCode.CHECKPOINT_TOO_NEW,
        Checkpoints.toJson(FULL).replace("\"major\":1", "\"major\":2"));
  }

  @Test
  @Tag("S-RESUME-01")
  void onePendingIsRefused() {
    String text = Checkpoints.toJson(FULL);
    refused(
        ErrorCode.CHECKPOINT_PENDING, text.replace("\"definitive\":true", "\"definitive\":false"));
    refused(ErrorCode.CHECKPOINT_PENDING, text.replace("\"definitive\":true,", ""));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "[]",
        "{}",
        "{\"format\":\"other\",\"major\":1}",
        "{\"format\":\"sandbox-checkpoint\",\"major\":\"1\"}",
        "{\"format\":\"sandbox-checkpoint\",\"major\":1,\"definitive\":true,\"provider\":\"x\"}",
        "{\"format\":\"sandbox-checkpoint\",\"format\":\"sandbox-checkpoint\"}",
      })
  void anythingElseIsMalformed(String text) {
    refused(ErrorCode.CHECKPOINT_MALFORMED, text);
  }

  @Test
  void anErrorDoesNotShowTheText() {
    assertThatThrownBy(() -> Checkpoints.fromJson("{\"canary-secret\": canary-secret"))
        .satisfies(
            e -> {
              for (Throwable at = e; at != null; at = at.getCause()) {
                assertThat(at.toString()).doesNotContain("canary");
              }
            });
    assertThat(FULL.toString()).doesNotContain("/tmp/x");
  }
}
