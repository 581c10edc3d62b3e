package io.sandboxspi.core.session;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** The one path policy: POSIX, inside the workspace (spec S-FILE-01). */
final class SandboxPath {
  private static final Pattern DRIVE = Pattern.compile("[A-Za-z]:([/\\\\].*)?");
  private static final int MAX_BYTES = 4_095;

  private SandboxPath() {}

  /**
   * Normalises a path without looking at the disk.
   *
   * @param workspace the absolute workspace
   * @return relative to the workspace, {@code .} for itself
   */
  static String normalise(String path, String workspace, Operation operation) {
    if (path.isEmpty()) {
      throw invalid(operation, path, "is empty");
    }
    if (path.indexOf('\0') >= 0) {
      throw invalid(operation, "…", "has a NUL character");
    }
    if (DRIVE.matcher(path).matches()) {
      throw invalid(operation, path, "is a Windows path");
    }
    if (path.length() > MAX_BYTES) {
      throw invalid(operation, path.substring(0, 40) + "…", "is longer than " + MAX_BYTES);
    }
    String relative = path;
    if (path.startsWith("/")) {
      String root = workspace.endsWith("/") ? workspace : workspace + "/";
      String absolute = "/" + String.join("/", parts(path, operation));
      if (absolute.equals(workspace)) {
        return ".";
      }
      if (!absolute.startsWith(root)) {
        throw invalid(operation, path, "is outside the workspace " + workspace);
      }
      relative = absolute.substring(root.length());
    }
    List<String> parts = parts(relative, operation);
    return parts.isEmpty() ? "." : String.join("/", parts);
  }

  private static List<String> parts(String path, Operation operation) {
    List<String> parts = new ArrayList<>();
    for (String part : path.split("/", -1)) {
      if (part.isEmpty() || part.equals(".")) {
        continue;
      }
      if (part.equals("..")) {
        if (parts.isEmpty()) {
          throw invalid(operation, path, "leads out of the workspace");
        }
        parts.remove(parts.size() - 1);
      } else {
        parts.add(part);
      }
    }
    return parts;
  }

  private static SandboxException invalid(Operation operation, String path, String why) {
    return SandboxException.builder(
            ErrorCode.INVALID_PATH,
            operation,
            "path \"" + path + "\" " + why + "; allowed: a POSIX path inside the workspace")
        .build();
  }
}
