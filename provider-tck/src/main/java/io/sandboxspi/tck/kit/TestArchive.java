package io.sandboxspi.tck.kit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;

/** Archives with anything in them. */
public abstract class TestArchive {
  private TestArchive() {}

  /** A plain tar. */
  public static TestArchive tar() {
    return new Tar();
  }

  /** A zip; it has no links and no devices. */
  public static TestArchive zip() {
    return new Zip();
  }

  /** Adds a file. */
  public TestArchive file(String name, String content) throws IOException {
    return file(name, content.getBytes(UTF_8));
  }

  /** Adds a file. */
  public TestArchive file(String name, byte[] content) throws IOException {
    add(name, TarConstants.LF_NORMAL, "", content);
    return this;
  }

  /** Adds a directory; its name ends in a slash. */
  public TestArchive directory(String name) throws IOException {
    add(name, TarConstants.LF_DIR, "", new byte[0]);
    return this;
  }

  /** Adds a symbolic link. */
  public TestArchive link(String name, String target) throws IOException {
    add(name, TarConstants.LF_SYMLINK, target, new byte[0]);
    return this;
  }

  /** Adds a hard link. */
  public TestArchive hardLink(String name, String target) throws IOException {
    add(name, TarConstants.LF_LINK, target, new byte[0]);
    return this;
  }

  /** Adds a device. */
  public TestArchive device(String name) throws IOException {
    add(name, TarConstants.LF_CHR, "", new byte[0]);
    return this;
  }

  abstract void add(String name, byte kind, String target, byte[] content) throws IOException;

  /** The bytes. */
  public abstract byte[] build() throws IOException;

  /** The bytes, compressed. */
  public byte[] gzip() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
      gzip.write(build());
    }
    return bytes.toByteArray();
  }

  private static final class Tar extends TestArchive {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final TarArchiveOutputStream tar = new TarArchiveOutputStream(bytes, "UTF-8");

    @Override
    void add(String name, byte kind, String target, byte[] content) throws IOException {
      TarArchiveEntry entry = new TarArchiveEntry(name, kind, true);
      entry.setSize(content.length);
      entry.setLinkName(target);
      entry.setMode(kind == TarConstants.LF_DIR ? 0755 : 0644);
      tar.putArchiveEntry(entry);
      tar.write(content);
      tar.closeArchiveEntry();
    }

    @Override
    public byte[] build() throws IOException {
      tar.close();
      return bytes.toByteArray();
    }
  }

  private static final class Zip extends TestArchive {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final ZipOutputStream zip = new ZipOutputStream(bytes, UTF_8);

    @Override
    void add(String name, byte kind, String target, byte[] content) throws IOException {
      if (kind != TarConstants.LF_NORMAL && kind != TarConstants.LF_DIR) {
        throw new IOException("a zip of this kit has files and directories only");
      }
      zip.putNextEntry(new ZipEntry(name));
      zip.write(content);
      zip.closeEntry();
    }

    @Override
    public byte[] build() throws IOException {
      zip.close();
      return bytes.toByteArray();
    }
  }
}
