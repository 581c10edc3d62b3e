package io.sandboxspi.local.files;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.FileInfo;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.local.files.Located.Mode;
import io.sandboxspi.spi.BackendFiles;
import io.sandboxspi.spi.Deadline;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.Channels;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Files of a workspace directory. Names are UTF-8; a JVM whose own encoding of file names is
 * another refuses names that it cannot write.
 */
public final class LocalFiles implements BackendFiles {
  private static final int CHUNK = 128 * 1024;
  private static final int MODE_BITS = 0xfff;

  private final Path root;

  /** Below this real path. */
  public LocalFiles(Path root) {
    this.root = root;
  }

  @Override
  public String workspace() {
    return root.toString();
  }

  /** What is done at a location. */
  private interface FileAction<T> {
    T run(Located located) throws IOException, InterruptedException;
  }

  @Override
  public InputStream open(String path, Deadline deadline) throws InterruptedException {
    return at(path, Mode.TARGET, Operation.FILE_READ, located -> open(located.path()));
  }

  private static InputStream open(Path file) throws IOException {
    if (Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)) {
      throw new IOException("it is a directory");
    }
    if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)
        && !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      throw new IOException("it is no regular file");
    }
    Set<OpenOption> options = Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    return Channels.newInputStream(Files.newByteChannel(file, options));
  }

  @Override
  public void write(String path, InputStream content, Deadline deadline)
      throws InterruptedException {
    at(
        path,
        Mode.TARGET_WITH_PARENTS,
        Operation.FILE_WRITE,
        located -> {
          replace(located, content, check(Operation.FILE_WRITE, deadline));
          return path;
        });
  }

  /** Writes beside it and renames, so that a reader sees the old file or the whole new one. */
  private static void replace(Located located, InputStream content, TreeRemoval.Check check)
      throws IOException, InterruptedException {
    Path target = located.path();
    if (Files.isDirectory(target, LinkOption.NOFOLLOW_LINKS)) {
      throw new IOException("it is a directory");
    }
    Path part = located.sibling(".sandbox-" + UUID.randomUUID() + ".part");
    boolean done = false;
    try {
      Set<OpenOption> options =
          Set.of(
              StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
      try (ByteChannel channel = Files.newByteChannel(part, options)) {
        copy(content, channel, check);
      }
      if (Files.isRegularFile(target, LinkOption.NOFOLLOW_LINKS)) {
        Set<PosixFilePermission> mode =
            Files.getPosixFilePermissions(target, LinkOption.NOFOLLOW_LINKS);
        Files.setPosixFilePermissions(part, mode);
      }
      Files.move(part, target, StandardCopyOption.ATOMIC_MOVE);
      done = true;
    } finally {
      if (!done) {
        Files.deleteIfExists(part);
      }
    }
  }

  private static void copy(InputStream content, ByteChannel channel, TreeRemoval.Check check)
      throws IOException, InterruptedException {
    byte[] chunk = new byte[CHUNK];
    for (int count = content.read(chunk); count >= 0; count = content.read(chunk)) {
      check.run();
      ByteBuffer bytes = ByteBuffer.wrap(chunk, 0, count);
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    }
  }

  @Override
  public FileInfo stat(String path, Deadline deadline) throws InterruptedException {
    return at(path, Mode.ENTRY, Operation.FILE_STAT, located -> info(path, located.path()));
  }

  @Override
  public List<FileInfo> list(String path, Deadline deadline) throws InterruptedException {
    return at(
        path,
        Mode.TARGET,
        Operation.FILE_LIST,
        located -> {
          TreeRemoval.Check check = check(Operation.FILE_LIST, deadline);
          List<FileInfo> found = new ArrayList<>();
          try (DirectoryHandle directory = located.open()) {
            for (String name : TreeRemoval.names(directory)) {
              check.run();
              try {
                String shown = path.equals(".") ? name : path + "/" + name;
                found.add(info(shown, directory.entry(name)));
              } catch (NoSuchFileException removedMeanwhile) {
                continue;
              }
            }
          }
          return found;
        });
  }

  private static FileInfo info(String shown, Path entry) throws IOException {
    Map<String, Object> facts =
        Files.readAttributes(
            entry,
            "unix:mode,size,lastModifiedTime,isRegularFile,isDirectory,isSymbolicLink",
            LinkOption.NOFOLLOW_LINKS);
    FileInfo.Kind kind = FileInfo.Kind.OTHER;
    if (Boolean.TRUE.equals(facts.get("isRegularFile"))) {
      kind = FileInfo.Kind.FILE;
    } else if (Boolean.TRUE.equals(facts.get("isDirectory"))) {
      kind = FileInfo.Kind.DIRECTORY;
    } else if (Boolean.TRUE.equals(facts.get("isSymbolicLink"))) {
      kind = FileInfo.Kind.LINK;
    }
    int mode = facts.get("mode") instanceof Integer value ? value & MODE_BITS : 0;
    long size =
        kind != FileInfo.Kind.DIRECTORY && facts.get("size") instanceof Long value ? value : 0;
    FileTime modified =
        facts.get("lastModifiedTime") instanceof FileTime value ? value : FileTime.fromMillis(0);
    return new FileInfo(shown, kind, size, String.format("%04o", mode), modified.toInstant());
  }

  @Override
  public void makeDirectories(String path, Deadline deadline) throws InterruptedException {
    at(
        path,
        Mode.TARGET_WITH_PARENTS,
        Operation.FILE_MAKE_DIRECTORY,
        located -> {
          if (!Files.isDirectory(located.path(), LinkOption.NOFOLLOW_LINKS)) {
            Files.createDirectory(located.path());
          }
          return path;
        });
  }

  @Override
  public void remove(String path, boolean tree, Deadline deadline) throws InterruptedException {
    try {
      at(
          path,
          Mode.ENTRY,
          Operation.FILE_REMOVE,
          located -> {
            if (tree) {
              located.removeTree(check(Operation.FILE_REMOVE, deadline));
            } else {
              Files.delete(located.path());
            }
            return path;
          });
    } catch (SandboxException e) {
      if (!tree || e.code() != ErrorCode.FILE_NOT_FOUND) {
        throw e;
      }
    }
  }

  private <T> T at(String path, Mode mode, Operation operation, FileAction<T> action)
      throws InterruptedException {
    try (Located located = Located.find(root, path, mode, operation)) {
      return action.run(located);
    } catch (NoSuchFileException e) {
      throw failure(ErrorCode.FILE_NOT_FOUND, operation, path, "does not exist", e);
    } catch (InvalidPathException e) {
      throw failure(ErrorCode.INVALID_PATH, operation, path, "cannot be written as a name here", e);
    } catch (ClosedByInterruptException e) {
      Thread.interrupted();
      throw new InterruptedException("interrupted during a file operation");
    } catch (IOException e) {
      String what = "failed: " + e.getClass().getSimpleName();
      throw failure(ErrorCode.FILE_FAILED, operation, path, what, e);
    }
  }

  private static SandboxException failure(
      ErrorCode code, Operation operation, String path, String what, Exception cause) {
    return SandboxException.builder(code, operation, "\"" + path + "\" " + what)
        .context("path", path)
        .cause(cause)
        .build();
  }

  private static TreeRemoval.Check check(Operation operation, Deadline deadline) {
    return () -> {
      if (Thread.interrupted()) {
        throw new InterruptedException("interrupted during a file operation");
      }
      if (deadline.expired()) {
        throw SandboxException.of(
            ErrorCode.FILE_FAILED, operation, "the file operation did not end by its deadline");
      }
    };
  }
}
