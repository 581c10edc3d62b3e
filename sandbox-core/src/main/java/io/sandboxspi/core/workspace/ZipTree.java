package io.sandboxspi.core.workspace;

import io.sandboxspi.ArchiveLimits;
import io.sandboxspi.spi.FileTree;
import io.sandboxspi.spi.TreeEntry;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Enumeration;
import java.util.Optional;
import java.util.zip.CRC32;
import org.apache.commons.compress.archivers.zip.ZipArchiveEntry;
import org.apache.commons.compress.archivers.zip.ZipFile;
import org.jspecify.annotations.Nullable;

/**
 * A zip as a tree: what its directory at the end says, held against the contents. A zip needs to be
 * read from its end, so it is kept in a temporary file meanwhile.
 */
final class ZipTree implements FileTree {
  private static final int CHUNK = 64 * 1024;
  private static final int LONGEST_TARGET = 4_095;
  private static final int PERMISSIONS = 0777;
  private static final int DEFAULT_FILE = 0644;
  private static final int DEFAULT_DIRECTORY = 0755;

  private final ZipFile zip;
  private final Enumeration<ZipArchiveEntry> entries;
  private final CRC32 checksum = new CRC32();
  private @Nullable InputStream content;
  private @Nullable ZipArchiveEntry current;
  private long left;

  private ZipTree(ZipFile zip) {
    this.zip = zip;
    this.entries = zip.getEntriesInPhysicalOrder();
  }

  /** Reads the whole stream into a file, which goes when the tree is closed. */
  static ZipTree spool(InputStream in, ArchiveLimits limits) throws IOException {
    Path file = Files.createTempFile("sandbox-", ".zip");
    SeekableByteChannel channel =
        Files.newByteChannel(
            file,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE,
            StandardOpenOption.DELETE_ON_CLOSE);
    boolean done = false;
    try {
      byte[] chunk = new byte[CHUNK];
      long size = 0;
      for (int count = in.read(chunk); count >= 0; count = in.read(chunk)) {
        size += count;
        if (size > limits.bytesIn()) {
          throw ArchiveErrors.limit("bytes in", limits.bytesIn(), size);
        }
        ByteBuffer bytes = ByteBuffer.wrap(chunk, 0, count);
        while (bytes.hasRemaining()) {
          channel.write(bytes);
        }
      }
      channel.position(0);
      ZipTree tree = new ZipTree(directory(channel));
      done = true;
      return tree;
    } finally {
      if (!done) {
        channel.close();
      }
    }
  }

  private static ZipFile directory(SeekableByteChannel channel) {
    try {
      return ZipFile.builder().setSeekableByteChannel(channel).get();
    } catch (IOException | RuntimeException e) {
      throw ArchiveErrors.corrupt("has no directory of a zip that can be read", e);
    }
  }

  @Override
  public Optional<TreeEntry> next() throws IOException {
    byte[] rest = new byte[CHUNK];
    while (read(rest, 0, rest.length) >= 0) {
      continue;
    }
    content = null;
    current = null;
    while (entries.hasMoreElements()) {
      ZipArchiveEntry entry = entries.nextElement();
      Optional<TreeEntry> found = convert(entry);
      if (found.isPresent()) {
        return found;
      }
    }
    return Optional.empty();
  }

  /** Empty for the top itself. */
  private Optional<TreeEntry> convert(ZipArchiveEntry entry) throws IOException {
    byte[] raw = entry.getRawName();
    String name = raw == null ? entry.getName() : new String(raw, StandardCharsets.UTF_8);
    if (name.isEmpty()) {
      throw ArchiveErrors.member(name, "has no name");
    }
    if (name.indexOf('\\') >= 0) {
      throw ArchiveErrors.member(name, "has a Windows path");
    }
    String path = MemberName.normal(name);
    boolean directory = name.endsWith("/");
    if (path.equals(".")) {
      if (!directory || entry.isUnixSymlink()) {
        throw ArchiveErrors.member(name, "is the top and no directory");
      }
      return Optional.empty();
    }
    Instant modified =
        entry.getLastModifiedTime() == null
            ? Instant.EPOCH
            : entry.getLastModifiedTime().toInstant();
    int mode = entry.getUnixMode() & PERMISSIONS;
    if (directory && !entry.isUnixSymlink()) {
      return Optional.of(TreeEntry.directory(path, mode == 0 ? DEFAULT_DIRECTORY : mode, modified));
    }
    if (entry.getGeneralPurposeBit().usesEncryption() || !zip.canReadEntryData(entry)) {
      throw ArchiveErrors.member(name, "is encrypted or compressed in a way that is not known");
    }
    if (entry.getSize() < 0) {
      throw ArchiveErrors.member(name, "has no size");
    }
    open(entry, name);
    if (entry.isUnixSymlink()) {
      return Optional.of(TreeEntry.link(path, target(entry, name), modified));
    }
    return Optional.of(
        TreeEntry.file(path, mode == 0 ? DEFAULT_FILE : mode, entry.getSize(), modified));
  }

  private void open(ZipArchiveEntry entry, String name) {
    try {
      content = zip.getInputStream(entry);
    } catch (IOException | RuntimeException e) {
      throw ArchiveErrors.corrupt("has a member \"" + name + "\" that cannot be read", e);
    }
    current = entry;
    left = entry.getSize();
    checksum.reset();
  }

  private String target(ZipArchiveEntry entry, String name) throws IOException {
    if (entry.getSize() > LONGEST_TARGET) {
      throw ArchiveErrors.member(name, "is a link to a path that is too long");
    }
    byte[] bytes = new byte[(int) entry.getSize()];
    int at = 0;
    while (at < bytes.length) {
      at += read(bytes, at, bytes.length - at);
    }
    int end = read(new byte[1], 0, 1);
    if (end >= 0) {
      throw ArchiveErrors.member(name, "has more content than it says");
    }
    return new String(bytes, StandardCharsets.UTF_8);
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    InputStream in = content;
    ZipArchiveEntry entry = current;
    if (in == null || entry == null) {
      return -1;
    }
    int count;
    try {
      // One byte more than is left shows whether the directory told the truth.
      count = left > 0 ? in.read(target, offset, (int) Math.min(length, left)) : in.read();
    } catch (IOException | RuntimeException e) {
      throw ArchiveErrors.corrupt("has a member \"" + entry.getName() + "\" that is damaged", e);
    }
    if (left == 0) {
      content = null;
      if (count >= 0) {
        throw ArchiveErrors.member(entry.getName(), "has more content than it says");
      }
      if (entry.getCrc() >= 0 && entry.getCrc() != checksum.getValue()) {
        throw ArchiveErrors.member(entry.getName(), "has another checksum than it says");
      }
      return -1;
    }
    if (count < 0) {
      throw ArchiveErrors.member(entry.getName(), "ends before its content is complete");
    }
    checksum.update(target, offset, count);
    left -= count;
    return count;
  }

  @Override
  public void close() throws IOException {
    zip.close();
  }
}
