package io.sandboxspi.local.files;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.FileInfo;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.local.files.Located.Mode;
import io.sandboxspi.spi.BackendFiles;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.FileTree;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * Files of a workspace directory. Names are UTF-8; a JVM whose own encoding of file names is
 * another refuses names that it cannot write.
 */
public final class LocalFiles implements BackendFiles {
  private static final int CHUNK = 128 * 1024;
  private static final int QUICK_CHUNK = 8 << 20;

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
    return at(path, Mode.TARGET, Operation.FILE_READ, LocalFiles::open);
  }

  /** What is opened is what was looked at; a pipe that comes in its place blocks nobody. */
  private static InputStream open(Located located) throws IOException {
    try (DirectoryHandle.Pinned pinned = located.pin()) {
      FileInfo.Kind kind = Facts.ofPinned(pinned.path()).kind();
      if (kind != FileInfo.Kind.FILE) {
        throw new FileSystemException(
            "it is " + (kind == FileInfo.Kind.DIRECTORY ? "a directory" : "no regular file"));
      }
      return new FileInputStream(pinned.path().toFile());
    }
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
    String name = ".sandbox-" + UUID.randomUUID() + ".part";
    Path part = located.sibling(name);
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
        try (DirectoryHandle.Pinned pinned = located.pinSibling(name)) {
          Files.setPosixFilePermissions(pinned.path(), mode);
        }
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
    if (content.getClass() == FileInputStream.class && channel instanceof FileChannel target) {
      copy(((FileInputStream) content).getChannel(), target, check);
    }
    // All of a pipe, and what a file gives beyond its size, as those of /proc do.
    byte[] chunk = new byte[CHUNK];
    for (int count = content.read(chunk); count >= 0; count = content.read(chunk)) {
      check.run();
      ByteBuffer bytes = ByteBuffer.wrap(chunk, 0, count);
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    }
  }

  /** Inside the system. */
  private static void copy(FileChannel source, FileChannel target, TreeRemoval.Check check)
      throws IOException, InterruptedException {
    long count = 1;
    while (count > 0) {
      check.run();
      long position;
      try {
        position = source.position();
      } catch (IOException noPlaceInAPipe) {
        return;
      }
      count = source.transferTo(position, QUICK_CHUNK, target);
      source.position(position + count);
    }
  }

  @Override
  public FileInfo stat(String path, Deadline deadline) throws InterruptedException {
    return at(path, Mode.ENTRY, Operation.FILE_STAT, located -> located.facts().shownAs(path));
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
                found.add(directory.facts(name).shownAs(shown));
              } catch (NoSuchFileException removedMeanwhile) {
                continue;
              }
            }
          }
          return found;
        });
  }

  @Override
  public void makeDirectories(String path, Deadline deadline) throws InterruptedException {
    at(
        path,
        Mode.TARGET_WITH_PARENTS,
        Operation.FILE_MAKE_DIRECTORY,
        located -> {
          try {
            Files.createDirectory(located.path());
          } catch (FileAlreadyExistsException exists) {
            if (!Files.isDirectory(located.path(), LinkOption.NOFOLLOW_LINKS)) {
              throw exists;
            }
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

  @Override
  public void move(String from, String to, Deadline deadline) throws InterruptedException {
    at(
        from,
        Mode.ENTRY,
        Operation.FILE_MOVE,
        source ->
            at(
                to,
                Mode.ENTRY_WITH_PARENTS,
                Operation.FILE_MOVE,
                target -> {
                  Object present = Facts.of(source.path());
                  if (Files.isDirectory(target.path(), LinkOption.NOFOLLOW_LINKS)) {
                    throw new FileAlreadyExistsException(to);
                  }
                  rename(source, target);
                  return present;
                }));
  }

  private static void rename(Located source, Located target) throws IOException {
    try {
      Files.move(source.path(), target.path(), StandardCopyOption.ATOMIC_MOVE);
    } catch (AccessDeniedException denied) {
      if (!Files.isDirectory(source.path(), LinkOption.NOFOLLOW_LINKS)) {
        throw denied;
      }
      // A directory that its owner may not write to cannot get another parent.
      try (DirectoryHandle.Pinned pinned = source.pin()) {
        Set<PosixFilePermission> mode = Files.getPosixFilePermissions(pinned.path());
        if (mode.contains(PosixFilePermission.OWNER_WRITE)) {
          throw denied;
        }
        Set<PosixFilePermission> writable = EnumSet.of(PosixFilePermission.OWNER_WRITE);
        writable.addAll(mode);
        Files.setPosixFilePermissions(pinned.path(), writable);
        try {
          Files.move(source.path(), target.path(), StandardCopyOption.ATOMIC_MOVE);
        } finally {
          Files.setPosixFilePermissions(pinned.path(), mode);
        }
      }
    }
  }

  @Override
  public void setMode(String path, int mode, Deadline deadline) throws InterruptedException {
    at(
        path,
        Mode.TARGET,
        Operation.FILE_PERMISSIONS,
        located -> {
          try (DirectoryHandle.Pinned pinned = located.pin()) {
            Files.setAttribute(pinned.path(), "unix:mode", mode);
          }
          return path;
        });
  }

  @Override
  public FileTree readTree(String path, List<String> excludes, Deadline deadline)
      throws InterruptedException {
    return at(
        path,
        Mode.TARGET,
        Operation.FILE_DOWNLOAD,
        located ->
            new LocalTree(located.open(), excludes, check(Operation.FILE_DOWNLOAD, deadline)));
  }

  @Override
  public void writeTree(String path, FileTree tree, Deadline deadline) throws InterruptedException {
    at(
        path,
        Mode.ENTRY_WITH_PARENTS,
        Operation.FILE_UPLOAD,
        located -> {
          Files.createDirectory(located.path());
          TreeRemoval.Check check = check(Operation.FILE_UPLOAD, deadline);
          try (LocalTreeWriter writer = new LocalTreeWriter(located.open(), check)) {
            writer.write(tree);
          }
          return path;
        });
  }

  @Override
  public BackendFiles within(String other) {
    try {
      Path real = Path.of(other).toRealPath();
      if (real.getNameCount() == 0) {
        throw SandboxException.of(
            ErrorCode.INVALID_PATH, Operation.VALIDATE, "grant \"" + other + "\" is the root");
      }
      return new LocalFiles(real);
    } catch (NoSuchFileException e) {
      throw failure(ErrorCode.FILE_NOT_FOUND, Operation.VALIDATE, other, "does not exist", e);
    } catch (IOException | InvalidPathException e) {
      throw failure(ErrorCode.FILE_FAILED, Operation.VALIDATE, other, "cannot be used", e);
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
