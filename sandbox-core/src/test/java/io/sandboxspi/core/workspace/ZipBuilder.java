package io.sandboxspi.core.workspace;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.archivers.zip.UnixStat;
import org.apache.commons.compress.archivers.zip.ZipArchiveEntry;
import org.apache.commons.compress.archivers.zip.ZipArchiveOutputStream;

/** Other archives. */
final class ZipBuilder {
  private ZipBuilder() {}

  /** A directory, a file in it, and a link to the file. */
  static byte[] zip() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ZipArchiveOutputStream zip = new ZipArchiveOutputStream(bytes)) {
      put(zip, "d/", new byte[0], UnixStat.DIR_FLAG | 0755);
      put(zip, "d/f", new byte[1_000], UnixStat.FILE_FLAG | 0750);
      put(zip, "l", "d/f".getBytes(java.nio.charset.StandardCharsets.UTF_8), UnixStat.LINK_FLAG);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private static void put(ZipArchiveOutputStream zip, String name, byte[] content, int mode)
      throws IOException {
    ZipArchiveEntry entry = new ZipArchiveEntry(name);
    entry.setUnixMode(mode);
    zip.putArchiveEntry(entry);
    zip.write(content);
    zip.closeArchiveEntry();
  }

  static byte[] gzip(byte[] content) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
      gzip.write(content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }
}
