package io.sandboxspi.core.workspace;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Names of archive members: what may be unpacked, and as what (spec S-ARCH-02). */
final class MemberName {
  private static final Pattern DRIVE = Pattern.compile("[A-Za-z]:.*", Pattern.DOTALL);
  private static final int LONGEST_PATH = 4_095;
  private static final int LONGEST_NAME = 255;

  private MemberName() {}

  /**
   * The normal form of a member's name.
   *
   * @return {@code .} for the top
   * @throws io.sandboxspi.SandboxException when it is not allowed
   */
  static String normal(String name) {
    if (name.startsWith("/")) {
      throw ArchiveErrors.member(name, "has an absolute path");
    }
    // Behind "./" a name is a POSIX one, whatever it looks like.
    if (DRIVE.matcher(name).matches() || (name.indexOf('\\') >= 0 && !name.startsWith("./"))) {
      throw ArchiveErrors.member(name, "has a Windows path");
    }
    if (name.indexOf('\0') >= 0) {
      throw ArchiveErrors.member(name, "has a NUL character in its name");
    }
    if (name.indexOf('\uFFFD') >= 0) {
      throw ArchiveErrors.member(name, "has a name that is not UTF-8");
    }
    List<String> parts = new ArrayList<>();
    for (String part : name.split("/", -1)) {
      if (part.equals("..")) {
        throw ArchiveErrors.member(name, "leads out of the archive");
      }
      if (part.isEmpty() || part.equals(".")) {
        continue;
      }
      if (part.length() * 3 > LONGEST_NAME
          && part.getBytes(StandardCharsets.UTF_8).length > LONGEST_NAME) {
        throw ArchiveErrors.member(name, "has a name longer than " + LONGEST_NAME + " bytes");
      }
      parts.add(part);
    }
    String normal = parts.isEmpty() ? "." : String.join("/", parts);
    if (normal.length() * 3 > LONGEST_PATH
        && normal.getBytes(StandardCharsets.UTF_8).length > LONGEST_PATH) {
      throw ArchiveErrors.member(name, "has a path longer than " + LONGEST_PATH + " bytes");
    }
    return normal;
  }

  /** How a normal name is written into an archive, so that it is read back as it is. */
  static String written(String normal) {
    boolean odd = normal.indexOf('\\') >= 0 || DRIVE.matcher(normal).matches();
    return odd ? "./" + normal : normal;
  }
}
