package io.sandboxspi;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import java.util.regex.Pattern;

/** What a manifest puts at a path. Immutable. */
public sealed interface ManifestEntry {
  /** Whether it stays out of snapshots, and is put there again when one is restored. */
  boolean ephemeral();

  /** The same entry, ephemeral. */
  ManifestEntry asEphemeral();

  /** A file with this text in UTF-8 and permissions 0644. */
  static InlineFile file(String text) {
    return file(text.getBytes(StandardCharsets.UTF_8));
  }

  /** A file with these bytes and permissions 0644. */
  static InlineFile file(byte[] content) {
    return new InlineFile(content, "0644", false);
  }

  /** A directory with permissions 0755. */
  static Directory directory() {
    return new Directory("0755", false);
  }

  /**
   * A copy of a file of the caller's, with its permissions.
   *
   * @param source relative to the manifest's base
   */
  static LocalFile localFile(String source) {
    return new LocalFile(source, false);
  }

  /**
   * A copy of a directory of the caller's with all below it; a link that leads out is an error.
   *
   * @param source relative to the manifest's base
   */
  static LocalDirectory localDirectory(String source) {
    return new LocalDirectory(source, false);
  }

  /**
   * A file whose content is in the manifest.
   *
   * @param content its bytes, copied
   * @param permissions one to four octal digits
   */
  record InlineFile(byte[] content, String permissions, boolean ephemeral)
      implements ManifestEntry {
    /** Checks and copies. */
    public InlineFile {
      content = content.clone();
      checkPermissions(permissions);
    }

    /** A copy. */
    @Override
    public byte[] content() {
      return content.clone();
    }

    @Override
    public InlineFile asEphemeral() {
      return new InlineFile(content, permissions, true);
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof InlineFile file
          && Arrays.equals(content, file.content)
          && permissions.equals(file.permissions)
          && ephemeral == file.ephemeral;
    }

    @Override
    public int hashCode() {
      return Objects.hash(Arrays.hashCode(content), permissions, ephemeral);
    }

    /** Without the content. */
    @Override
    public String toString() {
      return "InlineFile[" + content.length + " bytes, " + permissions + "]";
    }
  }

  /**
   * A directory.
   *
   * @param permissions one to four octal digits
   */
  record Directory(String permissions, boolean ephemeral) implements ManifestEntry {
    /** Checks. */
    public Directory {
      checkPermissions(permissions);
    }

    @Override
    public Directory asEphemeral() {
      return new Directory(permissions, true);
    }
  }

  /**
   * A copy of a file.
   *
   * @param source relative to the manifest's base, no link in it
   */
  record LocalFile(String source, boolean ephemeral) implements ManifestEntry {
    /** Checks. */
    public LocalFile {
      Manifest.checkPath("source", source);
    }

    @Override
    public LocalFile asEphemeral() {
      return new LocalFile(source, true);
    }
  }

  /**
   * A copy of a directory.
   *
   * @param source relative to the manifest's base, no link in it; {@code .} for the base
   */
  record LocalDirectory(String source, boolean ephemeral) implements ManifestEntry {
    /** Checks. */
    public LocalDirectory {
      if (!source.equals(".")) {
        Manifest.checkPath("source", source);
      }
    }

    @Override
    public LocalDirectory asEphemeral() {
      return new LocalDirectory(source, true);
    }
  }

  private static void checkPermissions(String octal) {
    if (!Pattern.matches("[0-7]{1,4}", octal)) {
      throw SandboxException.invalid("permissions", '"' + octal + '"', "one to four octal digits");
    }
  }
}
