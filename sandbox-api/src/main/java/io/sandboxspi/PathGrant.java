package io.sandboxspi;

import java.util.List;

/**
 * A directory of the sandbox outside its workspace that files calls may use by absolute paths (spec
 * S-FILE-07). A link never leads from one granted directory, or the workspace, into another.
 *
 * @param path absolute, without {@code .} and {@code ..} parts, not {@code /}
 * @param access what is allowed below it
 */
public record PathGrant(String path, Access access) {
  /** What is allowed. */
  public enum Access {
    /** Reading, listing, describing. */
    READ_ONLY,
    /** Everything. */
    READ_WRITE
  }

  /** Checks the path. */
  public PathGrant {
    Checks.noNul("grant", path);
    List<String> parts = List.of(path.split("/", -1));
    boolean normal =
        path.startsWith("/")
            && path.length() > 1
            && parts.subList(1, parts.size()).stream()
                .noneMatch(part -> part.isEmpty() || part.equals(".") || part.equals(".."));
    if (!normal || path.indexOf('\\') >= 0) {
      throw SandboxException.invalid(
          "grant",
          '"' + path + '"',
          "an absolute POSIX path other than / without empty, . and .. parts");
    }
  }

  /** Reading only. */
  public static PathGrant readOnly(String path) {
    return new PathGrant(path, Access.READ_ONLY);
  }

  /** Reading and writing. */
  public static PathGrant readWrite(String path) {
    return new PathGrant(path, Access.READ_WRITE);
  }
}
