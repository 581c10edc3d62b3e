package io.sandboxspi.core.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.PathGrant;
import io.sandboxspi.SandboxException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
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
        "\\\\srv\\share",
        "..\\up",
        "a\\..\\up",
        "a/b\\../c",
        "half\ud800",
        "a\0b"
      })
  @Tag("S-FILE-01")
  void otherPathsAreRefused(String path) {
    assertThatThrownBy(() -> SandboxPath.normalise(path, "/w", Operation.FILE_READ))
        .isInstanceOfSatisfying(
            SandboxException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_PATH));
  }

  private static SandboxPath resolve(String path, SandboxPath.Use use) {
    List<PathGrant> grants =
        List.of(
            PathGrant.readOnly("/data"),
            PathGrant.readWrite("/data/out"),
            PathGrant.readWrite("/w/in"));
    return SandboxPath.resolve(path, "/w", grants, use, Operation.FILE_WRITE);
  }

  @Test
  @Tag("S-FILE-07")
  void theLongestRootCounts() {
    assertThat(resolve("/data/a/../b", SandboxPath.Use.READ))
        .isEqualTo(new SandboxPath(Optional.of(PathGrant.readOnly("/data")), "b"));
    assertThat(resolve("/data/out/b", SandboxPath.Use.WRITE))
        .isEqualTo(new SandboxPath(Optional.of(PathGrant.readWrite("/data/out")), "b"));
    assertThat(resolve("/data", SandboxPath.Use.READ).path()).isEqualTo(".");
    assertThat(resolve("/w/in/x", SandboxPath.Use.WRITE).grant()).isPresent();
    assertThat(resolve("in/x", SandboxPath.Use.WRITE).grant()).isEmpty();
    assertThat(resolve("/w/x", SandboxPath.Use.WRITE).grant()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/data/a", "/data/out/../x", "/dat", "/database", "/"})
  @Tag("S-FILE-07")
  void nothingIsWrittenOutsideAWritableRoot(String path) {
    assertThatThrownBy(() -> resolve(path, SandboxPath.Use.WRITE))
        .isInstanceOfSatisfying(
            SandboxException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_PATH));
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "data", "/a/../b", "/a//b", "/a/", "/a\\b", ""})
  @Tag("S-FILE-07")
  void aGrantIsAnAbsoluteNormalPath(String path) {
    assertThatThrownBy(() -> PathGrant.readOnly(path))
        .isInstanceOf(SandboxException.class)
        .hasMessageContaining("grant");
  }
}
