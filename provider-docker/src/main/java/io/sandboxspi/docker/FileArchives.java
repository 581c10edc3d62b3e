package io.sandboxspi.docker;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.core.files.FileCarrier;
import io.sandboxspi.core.files.SeenFile;
import io.sandboxspi.core.time.Lane;
import io.sandboxspi.docker.engine.Archives;
import io.sandboxspi.docker.engine.EngineException;
import io.sandboxspi.docker.engine.Refusal;
import io.sandboxspi.spi.Deadline;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.time.Duration;
import java.util.Collections;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Large files as archives of the engine, which are several times faster than the streams of a
 * process. The engine works as root: so only where the shell's user is root, and may do the same.
 * While it moves an archive it lets no other call use the container: so only over a unix socket, up
 * to a size, and never at the pace of somebody who reads.
 */
final class FileArchives implements FileCarrier {
  private static final Logger LOG = LoggerFactory.getLogger(FileArchives.class);
  private static final int BLOCK = 512;
  private static final long SMALLEST = 2L << 20;
  private static final long LARGEST = 1L << 30;
  private static final Duration SETTLED = Duration.ofSeconds(3);

  private final Archives archives;
  private final Root root;
  private final Lane lane;
  // Those that are not read to their end.
  private final Set<ReadAhead> open = ConcurrentHashMap.newKeySet();

  /** Whether the shell's user is root. */
  interface Root {
    boolean is(Deadline deadline) throws InterruptedException;
  }

  FileArchives(Archives archives, Root root, Lane lane) {
    this.archives = archives;
    this.root = root;
    this.lane = lane;
  }

  @Override
  public boolean takes(long size) {
    return size >= SMALLEST && size <= LARGEST && archives.near();
  }

  private static boolean same(Archives.Found found, SeenFile file) {
    return found.size() == file.size() && found.modified().equals(file.modified());
  }

  @Override
  public Optional<InputStream> open(SeenFile file, Deadline deadline) throws InterruptedException {
    if (!root.is(deadline)) {
      return Optional.empty();
    }
    try {
      Archives.Download download = archives.download(file.path(), deadline);
      Optional<InputStream> content = Optional.empty();
      try {
        if (same(download.found(), file)) {
          content = content(download.tar(), file.size());
        }
      } finally {
        if (content.isEmpty()) {
          download.tar().close();
        }
      }
      return content.map(this::ahead);
    } catch (Refusal refusal) {
      LOG.debug("the engine does not read a file", refusal);
      return Optional.empty();
    } catch (EngineException e) {
      throw Failures.of(Operation.FILE_READ, e);
    } catch (IOException e) {
      throw failed(Operation.FILE_READ, file, "the engine's archive cannot be read", e);
    }
  }

  @Override
  public boolean fill(SeenFile file, InputStream content, long size, Deadline deadline)
      throws InterruptedException {
    if (!root.is(deadline)) {
      return false;
    }
    try {
      if (!same(archives.find(file.path(), deadline), file)) {
        return false;
      }
    } catch (Refusal refusal) {
      LOG.debug("the engine does not see a file", refusal);
      return false;
    } catch (EngineException e) {
      throw Failures.of(Operation.FILE_WRITE, e);
    }
    int slash = file.path().lastIndexOf('/');
    String directory = slash == 0 ? "/" : file.path().substring(0, slash);
    byte[] head = head(file.path().substring(slash + 1), file, size);
    byte[] tail = new byte[(int) (-size & (BLOCK - 1)) + 2 * BLOCK];
    Exactly exactly = new Exactly(content, size);
    InputStream tar =
        new SequenceInputStream(
            Collections.enumeration(
                List.of(new ByteArrayInputStream(head), exactly, new ByteArrayInputStream(tail))));
    try {
      archives.upload(directory, tar, head.length + size + tail.length, deadline);
      return true;
    } catch (Refusal refusal) {
      throw failed(Operation.FILE_WRITE, file, "the engine refuses its content", refusal);
    } catch (EngineException e) {
      settle(file);
      Optional<IOException> unreadable = exactly.failure;
      if (unreadable.isPresent()) {
        throw failed(Operation.FILE_WRITE, file, "its new content cannot be read", e);
      }
      throw Failures.of(Operation.FILE_WRITE, e);
    }
  }

  /** What is asked of the container now is answered when the engine is through with the archive. */
  private void settle(SeenFile file) throws InterruptedException {
    try {
      Object unused = archives.find(file.path(), Deadline.after(SETTLED));
    } catch (EngineException | Refusal e) {
      LOG.debug("half a file may be left: {}", file.path(), e);
    }
  }

  /** The engine lets nobody use a container while it reads from it: so it must never wait. */
  private InputStream ahead(InputStream content) {
    ReadAhead stream = new ReadAhead(content);
    open.add(stream);
    lane.execute(
        () -> {
          stream.pump();
          open.remove(stream);
        });
    return stream;
  }

  private static byte[] head(String name, SeenFile file, long size) {
    TarArchiveEntry entry = new TarArchiveEntry(name);
    entry.setMode(file.mode());
    entry.setUserId(file.user());
    entry.setGroupId(file.group());
    entry.setModTime(new Date());
    entry.setSize(size);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try {
      // Never closed: the content goes past it.
      TarArchiveOutputStream tar = new TarArchiveOutputStream(bytes, BLOCK);
      tar.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_POSIX);
      tar.putArchiveEntry(entry);
      tar.flush();
    } catch (IOException e) {
      throw new IllegalStateException("an archive in memory", e);
    }
    return bytes.toByteArray();
  }

  private static SandboxException failed(
      Operation operation, SeenFile file, String why, Exception cause) {
    return SandboxException.builder(
            ErrorCode.FILE_FAILED, operation, "\"" + file.path() + "\": " + why)
        .cause(cause)
        .context("path", file.path())
        .retryable(Retryable.UNKNOWN)
        .build();
  }

  /** Whoever reads or writes is told that it failed. */
  void close() {
    archives.close();
    open.forEach(ReadAhead::close);
    lane.retire();
  }

  /** The content of the first file of an archive, which is closed with it; empty if it is not. */
  private static Optional<InputStream> content(InputStream archive, long size) throws IOException {
    TarArchiveInputStream tar = new TarArchiveInputStream(archive);
    TarArchiveEntry entry = tar.getNextEntry();
    boolean right = entry != null && entry.isFile() && entry.getSize() == size;
    return right ? Optional.of(new Exactly(tar, size)) : Optional.empty();
  }

  /** So many bytes of a stream; remembers why there were fewer. */
  private static final class Exactly extends InputStream {
    private final InputStream in;
    private long left;
    private Optional<IOException> failure = Optional.empty();

    Exactly(InputStream in, long size) {
      this.in = in;
      this.left = size;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      if (left == 0 || length == 0) {
        return left == 0 ? -1 : 0;
      }
      try {
        int n = in.read(target, offset, (int) Math.min(length, left));
        if (n < 0) {
          throw new EOFException("it ended " + left + " bytes early");
        }
        left -= n;
        return n;
      } catch (IOException e) {
        failure = Optional.of(e);
        throw e;
      }
    }

    @Override
    public void close() throws IOException {
      in.close();
    }
  }
}
