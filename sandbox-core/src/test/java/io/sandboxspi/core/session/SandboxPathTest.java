package io.sandboxspi.core.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SandboxPathTest {
  @ParameterizedTest
  @CsvSource({
    "a, a",
    "./a//b/, a/b",
    "a/../b, b",
    "., .",
    "/w, .",
    "/w/, .",
    "/w/a/./b, a/b",
    "/w/../w/a, a",
    "-rf, -rf",
    "a b, a b",
    "...,...",
    "back\\slash, back\\slash"
  })
  @Tag("S-FILE-01")
  void pathsInsideAreNormalised(String path, String expected) {
    assertThat(SandboxPath.normalise(path, "/w", Operation.FILE_READ)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "..",
        "../a",
        "a/../../b",
        "/",
        "/etc/passwd",
        "/wx",
        "/w/../x",
        "C:\\x",
        "c:/x",
        "C:",
        "a\0b"
      })
  @Tag("S-FILE-01")
  void otherPathsAreRefused(String path) {
    assertThatThrownBy(() -> SandboxPath.normalise(path, "/w", Operation.FILE_READ))
        .isInstanceOfSatisfying(
            SandboxException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_PATH));
  }
}
