package io.sandboxspi.tck.plain;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.FileInfo;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.spi.BackendFiles;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.FileTree;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

final class PlainFiles implements BackendFiles {
  private final Path root;

  PlainFiles(Path root) {
    this.root = root;
  }

  private interface Io<T> {
    T run() throws IOException;
  }

  static void deleteTree(Path tree) {
    for (int attempt = 0; attempt < 5 && Files.exists(tree); attempt++) {
      try (Stream<Path> all = Files.walk(tree)) {
        for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.deleteIfExists(path);
        }
      } catch (IOException | java.io.UncheckedIOException raced) {
        // Somebody else removes it, too, or a process that is being ended still wrote.
      }
    }
  }

  @Override
  public String workspace() {
    return root.toString();
  }

  private static <T> T io(Operation operation, Io<T> work) {
    try {
      return work.run();
    } catch (NoSuchFileException e) {
      throw SandboxException.of(ErrorCode.FILE_NOT_FOUND, operation, "no such file");
    } catch (IOException e) {
      throw SandboxException.builder(ErrorCode.FILE_FAILED, operation, "failed").cause(e).build();
    }
  }

  /** The parent resolved, the name not. */
  private Path entry(String path, Operation operation) throws IOException {
    if (path.equals(".")) {
      return root;
    }
    Path full = root.resolve(path);
    return existing(full.getParent(), operation).resolve(full.getFileName());
  }

  private Path existing(Path path, Operation operation) throws IOException {
    Path real = path.toRealPath();
    if (!real.startsWith(root.toRealPath())) {
      throw SandboxException.of(ErrorCode.INVALID_PATH, operation, "leads out of the workspace");
    }
    return real;
  }

  /** Makes directories one by one, so that a link that leads out is met before it is used. */
  private Path directories(String path, Operation operation) throws IOException {
    Path at = root;
    for (Path part : Path.of(path)) {
      if (part.toString().isEmpty() || part.toString().equals(".")) {
        continue;
      }
      at = at.resolve(part);
      if (Files.exists(at, LinkOption.NOFOLLOW_LINKS)) {
        at = existing(at, operation);
        if (!Files.isDirectory(at)) {
          throw new FileSystemException(path, null, "not a directory");
        }
      } else {
        Files.createDirectory(at);
      }
    }
    return at;
  }

  @Override
  public InputStream open(String path, Deadline deadline) {
    return io(
        Operation.FILE_READ,
        () -> {
          Path real = existing(root.resolve(path), Operation.FILE_READ);
          if (!Files.isRegularFile(real)) {
            throw new FileSystemException(path, null, "not a file");
          }
          return Files.newInputStream(real);
        });
  }

  @Override
  public void write(String path, InputStream content, Deadline deadline) {
    io(
        Operation.FILE_WRITE,
        () -> {
          Path name = Path.of(path);
          String parent = name.getParent() == null ? "." : name.getParent().toString();
          Path directory = directories(parent, Operation.FILE_WRITE);
          Path target = directory.resolve(name.getFileName());
          if (Files.isSymbolicLink(target)) {
            target = existing(target, Operation.FILE_WRITE);
          }
          if (Files.isDirectory(target)) {
            throw new FileSystemException(path, null, "a directory");
          }
          Path temporary = Files.createTempFile(root.getParent(), "write", "");
          try {
            Files.copy(content, temporary, StandardCopyOption.REPLACE_EXISTING);
            Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
          } finally {
            Files.deleteIfExists(temporary);
          }
          return true;
        });
  }

  @Override
  public FileInfo stat(String path, Deadline deadline) {
    return io(Operation.FILE_STAT, () -> info(path, entry(path, Operation.FILE_STAT)));
  }

  private static FileInfo info(String path, Path entry) throws IOException {
    var attributes =
        Files.readAttributes(
            entry, java.nio.file.attribute.PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    FileInfo.Kind kind =
        attributes.isRegularFile()
            ? FileInfo.Kind.FILE
            : attributes.isDirectory()
                ? FileInfo.Kind.DIRECTORY
                : attributes.isSymbolicLink() ? FileInfo.Kind.LINK : FileInfo.Kind.OTHER;
    int mode = 0;
    for (PosixFilePermission permission : attributes.permissions()) {
      mode |= 1 << (8 - permission.ordinal());
    }
    return new FileInfo(
        path,
        kind,
        kind == FileInfo.Kind.DIRECTORY ? 0 : attributes.size(),
        String.format("%04o", mode),
        attributes.lastModifiedTime().toInstant());
  }

  @Override
  public List<FileInfo> list(String path, Deadline deadline) {
    return io(
        Operation.FILE_LIST,
        () -> {
          Path real = existing(root.resolve(path), Operation.FILE_LIST);
          List<FileInfo> found = new ArrayList<>();
          try (Stream<Path> entries = Files.list(real)) {
            for (Path entry : entries.toList()) {
              String name = entry.getFileName().toString();
              found.add(info(path.equals(".") ? name : path + "/" + name, entry));
            }
          }
          return found;
        });
  }

  @Override
  public void makeDirectories(String path, Deadline deadline) {
    io(Operation.FILE_MAKE_DIRECTORY, () -> directories(path, Operation.FILE_MAKE_DIRECTORY));
  }

  @Override
  public void remove(String path, boolean tree, Deadline deadline) {
    io(
        Operation.FILE_REMOVE,
        () -> {
          Path entry;
          try {
            entry = entry(path, Operation.FILE_REMOVE);
          } catch (NoSuchFileException e) {
            if (tree) {
              return true;
            }
            throw e;
          }
          if (!tree) {
            Files.delete(entry);
          } else if (Files.exists(entry, LinkOption.NOFOLLOW_LINKS)) {
            try (Stream<Path> all = Files.walk(entry)) {
              for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(each);
              }
            }
          }
          return true;
        });
  }

  @Override
  public void move(String from, String to, Deadline deadline) {
    io(
        Operation.FILE_MOVE,
        () -> {
          Path source = entry(from, Operation.FILE_MOVE);
          Path name = Path.of(to);
          String parent = name.getParent() == null ? "." : name.getParent().toString();
          Path target = directories(parent, Operation.FILE_MOVE).resolve(name.getFileName());
          return Files.move(source, target, StandardCopyOption.ATOMIC_MOVE);
        });
  }

  @Override
  public FileTree readTree(String path, List<String> excludes, Deadline deadline) {
    return io(
        Operation.FILE_DOWNLOAD,
        () -> new PlainTree(existing(root.resolve(path), Operation.FILE_DOWNLOAD), excludes));
  }

  @Override
  public void writeTree(String path, FileTree tree, Deadline deadline) throws InterruptedException {
    try {
      PlainTree.write(root.resolve(path), tree);
    } catch (IOException e) {
      throw SandboxException.builder(ErrorCode.FILE_FAILED, Operation.FILE_UPLOAD, "failed")
          .cause(e)
          .build();
    }
  }
}
