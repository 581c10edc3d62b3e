package io.sandboxspi.core.workspace;

import io.sandboxspi.spi.FileTree;
import io.sandboxspi.spi.TreeEntry;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Optional;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.jspecify.annotations.Nullable;

/**
 * A tar archive as a tree, with every name in its normal form; what cannot be in a tree is an error
 * (spec S-ARCH-02). Closing closes the stream.
 */
public final class TarTree implements FileTree {
  private static final int DRAIN = 64 * 1024;

  /** Headers of one member; long names and attributes come in headers of their own. */
  private static final int MOST_HEADER_BYTES = 1 << 20;

  /** An archive ends with at least one record of zeros; a stream that was cut does not. */
  private static final int RECORD = 512;

  private static final int MODE_BITS = 07777;

  private final boolean lenient;
  private final HeaderBudget source;
  private final TarArchiveInputStream tar;
  private @Nullable TreeEntry current;
  private long left;
  private boolean over;

  /** Reads a plain tar. */
  public TarTree(InputStream tar) {
    this(tar, false);
  }

  /** Reads a plain tar and passes over what is no file, directory or link. */
  public static TarTree lenient(InputStream tar) {
    return new TarTree(tar, true);
  }

  private TarTree(InputStream tar, boolean lenient) {
    this.lenient = lenient;
    this.source = new HeaderBudget(tar);
    this.tar = new TarArchiveInputStream(source, StandardCharsets.UTF_8.name());
  }

  @Override
  public Optional<TreeEntry> next() throws IOException {
    if (over) {
      return Optional.empty();
    }
    drain();
    TarArchiveEntry entry = header();
    while (entry != null) {
      Optional<TreeEntry> found = convert(entry);
      if (found.isPresent()) {
        current = found.get();
        left = current.size();
        return found;
      }
      entry = header();
    }
    current = null;
    if (source.zeros < RECORD) {
      throw ArchiveErrors.corrupt("ends without its end mark", new EOFException("no end mark"));
    }
    finish();
    over = true;
    return Optional.empty();
  }

  private @Nullable TarArchiveEntry header() throws IOException {
    source.limit(MOST_HEADER_BYTES);
    source.zeros = 0;
    try {
      return tar.getNextEntry();
    } catch (RuntimeException e) {
      // The decoder has no one way to say that a header is odd.
      throw ArchiveErrors.corrupt("has a header that cannot be read", e);
    } catch (TooLong e) {
      throw ArchiveErrors.corrupt("has a header that is too long", e);
    } catch (IOException e) {
      if (source.failed) {
        throw e;
      }
      throw ArchiveErrors.corrupt("has a header that cannot be read", e);
    } finally {
      source.limit(Long.MAX_VALUE);
    }
  }

  /** What pads the archive is read, so that whoever writes it is not cut off. */
  private void finish() throws IOException {
    byte[] rest = new byte[DRAIN];
    int count = source.read(rest);
    while (count >= 0) {
      count = source.read(rest);
    }
  }

  /** Empty for the top itself, and for what is passed over. */
  private Optional<TreeEntry> convert(TarArchiveEntry entry) {
    String raw = entry.getName();
    if (raw.isEmpty()) {
      throw ArchiveErrors.member(raw, "has no name");
    }
    String path = MemberName.normal(raw);
    Instant modified = modified(entry);
    int mode = entry.getMode() & MODE_BITS;
    if (path.equals(".")) {
      if (!entry.isDirectory() || entry.isSymbolicLink() || entry.isLink()) {
        throw ArchiveErrors.member(raw, "is the top and no directory");
      }
      return Optional.empty();
    }
    if (entry.isSymbolicLink()) {
      return Optional.of(TreeEntry.link(path, entry.getLinkName(), modified));
    }
    if (entry.isLink()) {
      String target = MemberName.normal(entry.getLinkName());
      return Optional.of(TreeEntry.hardLink(path, target, mode, modified));
    }
    if (entry.isDirectory()) {
      return Optional.of(TreeEntry.directory(path, mode, modified));
    }
    if (entry.isSparse()) {
      throw ArchiveErrors.member(raw, "is a sparse file; allowed: files written whole");
    }
    if (!entry.isFile() || entry.isFIFO() || entry.isCharacterDevice() || entry.isBlockDevice()) {
      if (lenient) {
        return Optional.empty();
      }
      throw ArchiveErrors.member(raw, "is no file, directory or link");
    }
    if (entry.getSize() < 0) {
      throw ArchiveErrors.member(raw, "has a negative size");
    }
    return Optional.of(TreeEntry.file(path, mode, entry.getSize(), modified));
  }

  private static Instant modified(TarArchiveEntry entry) {
    FileTime time = entry.getLastModifiedTime();
    return time == null ? Instant.EPOCH : time.toInstant();
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    TreeEntry file = current;
    if (file == null || left == 0) {
      return -1;
    }
    int count;
    try {
      count = tar.read(target, offset, (int) Math.min(length, left));
    } catch (IOException e) {
      if (source.failed) {
        throw e;
      }
      throw ArchiveErrors.corrupt("ends in the middle of a member", e);
    }
    if (count < 0) {
      throw ArchiveErrors.member(file.path(), "ends before its content is complete");
    }
    left -= count;
    return count;
  }

  /** Content that nobody wanted; apart from headers, whose budget it would eat. */
  private void drain() throws IOException {
    if (left > 0) {
      byte[] rest = new byte[DRAIN];
      while (left > 0) {
        int unused = read(rest, 0, rest.length);
      }
    }
  }

  @Override
  public void close() throws IOException {
    tar.close();
  }

  private static final class TooLong extends IOException {
    private static final long serialVersionUID = 1L;

    TooLong() {
      super("more than " + MOST_HEADER_BYTES + " bytes of headers");
    }
  }

  /** Bounds what the decoder may take; knows a failure of the source from one of the format. */
  private static final class HeaderBudget extends FilterInputStream {
    private long budget = Long.MAX_VALUE;
    private boolean failed;
    private int zeros;

    HeaderBudget(InputStream in) {
      super(in);
    }

    void limit(long bytes) {
      budget = bytes;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      if (budget <= 0) {
        throw new TooLong();
      }
      int count;
      try {
        count = in.read(target, offset, (int) Math.min(length, budget));
      } catch (IOException e) {
        failed = true;
        throw e;
      }
      if (count > 0 && budget != Long.MAX_VALUE) {
        budget -= count;
        for (int i = offset; i < offset + count; i++) {
          zeros = target[i] == 0 ? zeros + 1 : 0;
        }
      }
      return count;
    }

    @Override
    public long skip(long count) throws IOException {
      byte[] rest = new byte[(int) Math.min(DRAIN, Math.max(1, count))];
      int read = read(rest, 0, (int) Math.min(rest.length, count));
      return Math.max(0, read);
    }

    @Override
    public int available() {
      return 0;
    }

    @Override
    public boolean markSupported() {
      return false;
    }
  }
}
