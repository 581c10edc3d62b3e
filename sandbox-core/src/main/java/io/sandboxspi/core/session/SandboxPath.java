package io.sandboxspi.core.session;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.PathGrant;
import io.sandboxspi.SandboxException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Where a caller's path leads: the one path policy, POSIX, inside the workspace or a grant (specs
 * S-FILE-01, S-FILE-07). Looks at no disk.
 *
 * @param grant the grant it is in; empty for the workspace
 * @param path relative to the workspace or the granted directory, {@code .} for itself
 */
record SandboxPath(Optional<PathGrant> grant, String path) {
  private static final Pattern DRIVE = Pattern.compile("[A-Za-z]:([/\\\\].*)?", Pattern.DOTALL);
  private static final int MAX_BYTES = 4_095;
  private static final int MAX_NAME_BYTES = 255;

  /** What a call does to a path. */
  enum Use {
    /** It only looks. */
    READ,
    /** It changes something. */
    WRITE
  }

  static SandboxPath resolve(
      String path, String workspace, List<PathGrant> grants, Use use, Operation operation) {
    check(path, operation);
    if (!path.startsWith("/")) {
      return new SandboxPath(Optional.empty(), joined(parts(path, path, operation)));
    }
    String absolute = "/" + String.join("/", parts(path, path, operation));
    Optional<PathGrant> found = Optional.empty();
    String root = inside(absolute, workspace) ? workspace : "";
    for (PathGrant grant : grants) {
      if (inside(absolute, grant.path()) && grant.path().length() > root.length()) {
        found = Optional.of(grant);
        root = grant.path();
      }
    }
    if (root.isEmpty()) {
      throw invalid(operation, path, "is outside the workspace " + workspace);
    }
    boolean readOnly =
        found.filter(grant -> grant.access() == PathGrant.Access.READ_ONLY).isPresent();
    if (use == Use.WRITE && readOnly) {
      throw invalid(operation, path, "is below " + root + ", which is granted for reading only");
    }
    String below = absolute.substring(root.endsWith("/") ? root.length() - 1 : root.length());
    return new SandboxPath(found, joined(parts(below, path, operation)));
  }

  /** As {@link #resolve} without grants. */
  static String normalise(String path, String workspace, Operation operation) {
    return resolve(path, workspace, List.of(), Use.READ, operation).path();
  }

  /** A path relative to a directory that is not known here, as of an exclude. */
  static String relative(String path, Operation operation) {
    check(path, operation);
    if (path.startsWith("/")) {
      throw invalid(operation, path, "is not relative to the directory");
    }
    return joined(parts(path, path, operation));
  }

  private static boolean inside(String absolute, String root) {
    return absolute.equals(root) || absolute.startsWith(root.endsWith("/") ? root : root + "/");
  }

  private static void check(String path, Operation operation) {
    if (path.isEmpty()) {
      throw invalid(operation, path, "is empty");
    }
    if (path.indexOf('\0') >= 0) {
      throw invalid(operation, "…", "has a NUL character");
    }
    if (DRIVE.matcher(path).matches() || path.startsWith("\\")) {
      throw invalid(operation, path, "is a Windows path");
    }
    for (String part : path.split("[/\\\\]", -1)) {
      if (part.equals("..") && path.indexOf('\\') >= 0) {
        throw invalid(operation, path, "is a Windows path");
      }
    }
    if (tooLong(path, MAX_BYTES)) {
      throw invalid(operation, path.substring(0, 40) + "…", "is longer than " + MAX_BYTES);
    }
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(path)) {
      throw invalid(operation, "…", "has half a character");
    }
  }

  private static boolean tooLong(String text, int bytes) {
    return text.length() > bytes
        || (text.length() * 3 > bytes && text.getBytes(StandardCharsets.UTF_8).length > bytes);
  }

  private static String joined(List<String> parts) {
    return parts.isEmpty() ? "." : String.join("/", parts);
  }

  private static List<String> parts(String path, String asked, Operation operation) {
    List<String> parts = new ArrayList<>();
    for (String part : path.split("/", -1)) {
      if (part.isEmpty() || part.equals(".")) {
        continue;
      }
      if (part.equals("..")) {
        if (parts.isEmpty()) {
          throw invalid(operation, asked, "leads out of the workspace");
        }
        parts.remove(parts.size() - 1);
      } else if (tooLong(part, MAX_NAME_BYTES)) {
        throw invalid(operation, asked, "has a name longer than " + MAX_NAME_BYTES + " bytes");
      } else {
        parts.add(part);
      }
    }
    return parts;
  }

  static SandboxException invalid(Operation operation, String path, String why) {
    return SandboxException.builder(
            ErrorCode.INVALID_PATH,
            operation,
            "path \"" + path + "\" " + why + "; allowed: a POSIX path inside the workspace")
        .context("path", path)
        .build();
  }
}
