package io.sandboxspi.core.workspace;

import io.sandboxspi.spi.FileTree;
import io.sandboxspi.spi.TreeEntry;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.attribute.FileTime;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Optional;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;

/**
 * A tree as a tar archive that is made while it is read: GNU headers, which every tar reads, times
 * in whole seconds, no owners. Closing closes the tree. For one thread at a time.
 */
public final class TarStream extends InputStream {
  private static final int CHUNK = 128 * 1024;

  private final FileTree tree;
  private final Buffer buffer = new Buffer();
  private final TarArchiveOutputStream tar;
  private final byte[] chunk = new byte[CHUNK];
  private boolean inFile;
  private boolean over;

  /** Nothing is read yet. */
  public TarStream(FileTree tree) {
    this.tree = tree;
    this.tar = encoder(buffer);
  }

  static TarArchiveOutputStream encoder(OutputStream target) {
    TarArchiveOutputStream tar = new TarArchiveOutputStream(target, StandardCharsets.UTF_8.name());
    tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_GNU);
    tar.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_STAR);
    return tar;
  }

  static TarArchiveEntry header(TreeEntry entry) {
    String name = MemberName.written(entry.path());
    TarArchiveEntry header =
        switch (entry.kind()) {
          case FILE -> new TarArchiveEntry(name, TarConstants.LF_NORMAL);
          case DIRECTORY -> new TarArchiveEntry(name + "/", TarConstants.LF_DIR);
          case LINK -> new TarArchiveEntry(name, TarConstants.LF_SYMLINK);
          case HARD_LINK -> new TarArchiveEntry(name, TarConstants.LF_LINK);
        };
    switch (entry.kind()) {
      case LINK -> header.setLinkName(entry.target());
      case HARD_LINK -> header.setLinkName(MemberName.written(entry.target()));
      default -> {}
    }
    header.setSize(entry.size());
    header.setMode(entry.mode());
    header.setUserName("");
    header.setGroupName("");
    header.setModTime(FileTime.from(entry.modified().truncatedTo(ChronoUnit.SECONDS)));
    return header;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    try {
      while (buffer.size() == 0 && !over) {
        step();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      InterruptedIOException interrupted = new InterruptedIOException("interrupted");
      interrupted.initCause(e);
      throw interrupted;
    }
    return buffer.size() == 0 ? -1 : buffer.take(target, offset, length);
  }

  private void step() throws IOException, InterruptedException {
    if (inFile) {
      int count = tree.read(chunk, 0, chunk.length);
      if (count >= 0) {
        tar.write(chunk, 0, count);
        return;
      }
      tar.closeArchiveEntry();
      inFile = false;
    }
    // Small entries go together.
    while (!inFile && !over && buffer.size() < CHUNK) {
      Optional<TreeEntry> entry = tree.next();
      if (entry.isEmpty()) {
        tar.finish();
        tar.flush();
        over = true;
      } else {
        begin(entry.get());
      }
    }
  }

  private void begin(TreeEntry entry) throws IOException, InterruptedException {
    tar.putArchiveEntry(header(entry));
    if (entry.kind() != TreeEntry.Kind.FILE || entry.size() > CHUNK) {
      inFile = entry.kind() == TreeEntry.Kind.FILE;
      if (!inFile) {
        tar.closeArchiveEntry();
      }
      return;
    }
    int count = tree.read(chunk, 0, chunk.length);
    while (count >= 0) {
      tar.write(chunk, 0, count);
      count = tree.read(chunk, 0, chunk.length);
    }
    tar.closeArchiveEntry();
  }

  @Override
  public void close() throws IOException {
    tree.close();
  }

  /** What is encoded and not read yet. */
  private static final class Buffer extends OutputStream {
    private byte[] bytes = new byte[2 * CHUNK];
    private int from;
    private int to;

    int size() {
      return to - from;
    }

    @Override
    public void write(int value) {
      write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] source, int offset, int length) {
      if (to + length > bytes.length) {
        bytes =
            size() + length > bytes.length
                ? Arrays.copyOf(bytes, Math.max(bytes.length * 2, to + length))
                : bytes;
        System.arraycopy(bytes, from, bytes, 0, size());
        to -= from;
        from = 0;
      }
      System.arraycopy(source, offset, bytes, to, length);
      to += length;
    }

    int take(byte[] target, int offset, int length) {
      int count = Math.min(length, size());
      System.arraycopy(bytes, from, target, offset, count);
      from += count;
      if (from == to) {
        from = 0;
        to = 0;
      }
      return count;
    }
  }
}
