package io.sandboxspi.core.workspace;

import io.sandboxspi.ArchiveFormat;
import io.sandboxspi.ArchiveLimits;
import io.sandboxspi.ArchiveSummary;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.spi.BackendFiles;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.FileTree;
import io.sandboxspi.spi.TreeEntry;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Directories of a backend as tar archives and back, as streams (specs S-ARCH-01 to S-ARCH-06).
 * Works on the calling thread, which may be interrupted. Stateless.
 */
public final class WorkspaceArchives {
  private static final Logger LOG = LoggerFactory.getLogger(WorkspaceArchives.class);
  private static final int CHUNK = 128 * 1024;
  private static final Duration CLEANUP = Duration.ofSeconds(30);

  /** Names of what is under way, or was when somebody died; in no archive. */
  private static final Pattern TEMPORARY =
      Pattern.compile("(.*/)?\\.sandbox-[0-9a-f-]{36}\\.(part|new|old)(/.*)?", Pattern.DOTALL);

  private WorkspaceArchives() {}

  /** What becomes of symbolic links that lead out of the archive. */
  public enum OutsideLinks {
    /** They make an archive invalid: for archives of others. */
    REFUSE,
    /** They are kept as they are, and never followed: for archives of one's own making. */
    KEEP
  }

  /**
   * Writes a directory as a plain tar; every link, permission and time of it, no owners.
   *
   * @param path the directory, normal; {@code .} for the workspace
   * @param excludes normal paths relative to the directory; each is left out with all below it
   * @param target gets a plain tar; stays open
   * @throws SandboxException what the backend threw, or {@link ErrorCode#FILE_FAILED} when the
   *     target failed, as its cause
   */
  public static ArchiveSummary persist(
      BackendFiles files,
      String path,
      List<String> excludes,
      OutputStream target,
      Deadline deadline)
      throws InterruptedException {
    return persist(files, path, excludes, ArchiveFormat.TAR, target, deadline);
  }

  /** As the other one, in a format. */
  public static ArchiveSummary persist(
      BackendFiles files,
      String path,
      List<String> excludes,
      ArchiveFormat format,
      OutputStream target,
      Deadline deadline)
      throws InterruptedException {
    FingerprintTree tree = read(files, path, excludes, deadline);
    try (TarStream tar = new TarStream(tree);
        OutputStream encoder = ArchiveSource.encoder(format, target)) {
      byte[] chunk = new byte[CHUNK];
      for (int count = tar.read(chunk); count >= 0; count = tar.read(chunk)) {
        encoder.write(chunk, 0, count);
      }
      return tree.summary();
    } catch (IOException e) {
      throw failed(Operation.ARCHIVE_PERSIST, path, e);
    }
  }

  /** The fingerprint of a directory as it is. */
  public static ArchiveSummary fingerprint(
      BackendFiles files, String path, List<String> excludes, Deadline deadline)
      throws InterruptedException {
    try (FingerprintTree tree = read(files, path, excludes, deadline)) {
      while (tree.next().isPresent()) {
        continue;
      }
      return tree.summary();
    } catch (IOException e) {
      throw failed(Operation.ARCHIVE_PERSIST, path, e);
    }
  }

  private static FingerprintTree read(
      BackendFiles files, String path, List<String> excludes, Deadline deadline)
      throws InterruptedException {
    return new FingerprintTree(new WithoutTemporary(files.readTree(path, excludes, deadline)));
  }

  /**
   * Replaces the content of a directory with an archive's, a tar, plain or compressed by gzip or
   * Zstandard, or a zip: unpacks beside it, checks everything, switches, removes what was there.
   * Until the switch the directory is as it was, and a failure leaves it so.
   *
   * @param path the directory, normal; {@code .} for the workspace
   * @param archive read to its end and left open
   * @throws SandboxException {@link ErrorCode#INVALID_ARCHIVE}, {@link ErrorCode#LIMIT_EXCEEDED},
   *     or what the backend threw
   */
  public static ArchiveSummary hydrate(
      BackendFiles files,
      String path,
      InputStream archive,
      ArchiveLimits limits,
      OutsideLinks outsideLinks,
      Deadline deadline)
      throws InterruptedException {
    CountedStream counted = new CountedStream(archive);
    boolean keep = outsideLinks == OutsideLinks.KEEP;
    try (FileTree source = ArchiveSource.open(counted, limits)) {
      FileTree checked = new CheckedTree(source, limits, keep, counted::count);
      return stage(
          files, path, checked, staged -> files.replaceContent(path, staged, deadline), deadline);
    } catch (IOException e) {
      throw failed(Operation.ARCHIVE_HYDRATE, path, e);
    }
  }

  /**
   * Adds the content of an archive to a directory, which is made if it is missing. Nothing is
   * written but beside it before everything is unpacked and checked.
   */
  public static ArchiveSummary extract(
      BackendFiles files, String path, InputStream archive, ArchiveLimits limits, Deadline deadline)
      throws InterruptedException {
    CountedStream counted = new CountedStream(archive);
    try (FileTree source = ArchiveSource.open(counted, limits)) {
      return add(files, path, new CheckedTree(source, limits, false, counted::count), deadline);
    } catch (IOException e) {
      throw failed(Operation.ARCHIVE_EXTRACT, path, e);
    }
  }

  /** Merges a checked tree into a directory. */
  static ArchiveSummary add(BackendFiles files, String path, FileTree checked, Deadline deadline)
      throws InterruptedException, IOException {
    files.makeDirectories(path, deadline);
    return stage(
        files, path, checked, staged -> TreeMerge.merge(files, staged, path, deadline), deadline);
  }

  /** What is done with a complete staged directory. */
  private interface Step {
    void run(String staged) throws InterruptedException;
  }

  private static ArchiveSummary stage(
      BackendFiles files, String path, FileTree checked, Step step, Deadline deadline)
      throws InterruptedException, IOException {
    String staged = (path.equals(".") ? "" : path + "/") + temporary("new");
    FingerprintTree tree = new FingerprintTree(checked);
    boolean done = false;
    try {
      files.writeTree(staged, tree, deadline);
      // Also what the backend had no use for must be sound.
      while (tree.next().isPresent()) {
        continue;
      }
      step.run(staged);
      done = true;
      return tree.summary();
    } finally {
      if (!done) {
        drop(files, staged);
      }
    }
  }

  private static void drop(BackendFiles files, String staged) throws InterruptedException {
    boolean interrupted = Thread.interrupted();
    try {
      files.remove(staged, true, Deadline.after(CLEANUP));
    } catch (SandboxException e) {
      // What failed before says more; the name tells everybody that it is waste.
      LOG.warn("{} could not be removed from {}", staged, files, e);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  static String temporary(String kind) {
    return ".sandbox-" + UUID.randomUUID() + "." + kind;
  }

  static SandboxException failed(Operation operation, String path, IOException cause) {
    for (Throwable at = cause; at != null; at = at.getCause()) {
      if (at instanceof SandboxException e) {
        return e;
      }
    }
    return SandboxException.builder(
            ErrorCode.FILE_FAILED,
            operation,
            operation + " of \"" + path + "\" failed: " + cause.getClass().getSimpleName())
        .cause(cause)
        .retryable(Retryable.UNKNOWN)
        .build();
  }

  /** Leaves out what is under way. */
  private record WithoutTemporary(FileTree tree) implements FileTree {
    @Override
    public Optional<TreeEntry> next() throws IOException, InterruptedException {
      Optional<TreeEntry> next = tree.next();
      while (next.isPresent() && TEMPORARY.matcher(next.get().path()).matches()) {
        next = tree.next();
      }
      return next;
    }

    @Override
    public int read(byte[] target, int offset, int length)
        throws IOException, InterruptedException {
      return tree.read(target, offset, length);
    }

    @Override
    public void close() throws IOException {
      tree.close();
    }
  }
}
