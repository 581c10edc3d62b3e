package io.sandboxspi.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.PathGrant;
import io.sandboxspi.SandboxException;
import java.nio.file.Path;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tag;

/** Whatever a path looks like, it leads inside or is refused. */
class PathProperties {
  private static final List<PathGrant> GRANTS =
      List.of(PathGrant.readOnly("/data"), PathGrant.readWrite("/data/a"));

  @Provide
  Arbitrary<String> paths() {
    Arbitrary<String> part =
        Arbitraries.oneOf(
            Arbitraries.of(
                "..", ".", "", "w", "data", "a", "C:", "a\\b", "..\\x", " ", "\0", "-rf"),
            Arbitraries.strings().ofMaxLength(4),
            Arbitraries.strings().withChars('x', 'é').ofMinLength(120).ofMaxLength(300));
    return part.list()
        .ofMaxSize(7)
        .map(parts -> String.join("/", parts))
        .flatMap(text -> Arbitraries.of(text, "/" + text, "/w/" + text, "/data/" + text));
  }

  @Property
  @Tag("S-FILE-01")
  void aPathLeadsInsideOrIsRefused(@ForAll("paths") String path) {
    for (SandboxPath.Use use : SandboxPath.Use.values()) {
      SandboxPath where;
      try {
        where = SandboxPath.resolve(path, "/w", GRANTS, use, Operation.FILE_READ);
      } catch (SandboxException e) {
        assertThat(e.code()).isEqualTo(ErrorCode.INVALID_PATH);
        continue;
      }
      String root = where.grant().map(PathGrant::path).orElse("/w");
      Path full = Path.of(root, where.path()).normalize();
      assertThat(full.startsWith(Path.of(root))).as(full.toString()).isTrue();
      Path asked = Path.of(path.startsWith("/") ? "" : "/w", path).normalize();
      assertThat(full.toString()).isEqualTo(asked.toString());
      if (!where.path().equals(".")) {
        assertThat(where.path().split("/", -1)).doesNotContain("", ".", "..");
      }
      if (use == SandboxPath.Use.WRITE) {
        assertThat(where.grant().filter(grant -> grant.access() == PathGrant.Access.READ_ONLY))
            .isEmpty();
      }
    }
  }
}
