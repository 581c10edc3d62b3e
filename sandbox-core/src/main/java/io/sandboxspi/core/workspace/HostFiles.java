package io.sandboxspi.core.workspace;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.FileInfo;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.spi.BackendFiles;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.FileTree;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.stream.Stream;

/**
 * Files and directories between this machine and a backend (spec S-FILE-08). Works on the calling
 * thread. Stateless.
 */
public final class HostFiles {
  private static final int CHUNK = 1 << 20;

  private HostFiles() {}

  /**
   * Copies a file or directory into the backend; a directory is merged into one that exists.
   *
   * @param path normal
   * @throws IOException when this machine's side fails
   */
  public static void upload(BackendFiles files, Path source, String path, Deadline deadline)
      throws InterruptedException, IOException {
    upload(files, source, path, Moving.UNTOLD, deadline);
  }

  /** As the other one; tells the bytes of content that are moved. */
  public static void upload(
      BackendFiles files, Path source, String path, LongConsumer moved, Deadline deadline)
      throws InterruptedException, IOException {
    if (Files.isDirectory(source)) {
      try (FileTree tree = new HostTree(source)) {
        Object unused =
            WorkspaceArchives.add(files, path, CheckedTree.of(Moving.of(tree, moved)), deadline);
      }
    } else if (Files.isRegularFile(source)) {
      // Backends on this machine know what to do with one of these.
      try (FileInputStream in = new FileInputStream(source.toFile())) {
        files.write(path, Moving.of(in, moved), in.getChannel().size(), deadline);
      }
      files.setMode(path, HostTree.mode(Files.getPosixFilePermissions(source)), deadline);
    } else {
      throw SandboxException.invalid(
          "source", '"' + source.toString() + '"', "an existing file or directory");
    }
  }

  /**
   * Copies a file or directory out of the backend: a file is replaced at once, a directory is made.
   *
   * @param path normal
   * @throws IOException when this machine's side fails
   */
  public static void download(BackendFiles files, String path, Path target, Deadline deadline)
      throws InterruptedException, IOException {
    download(files, path, target, Moving.UNTOLD, deadline);
  }

  /** As the other one; tells the bytes of content that are moved. */
  public static void download(
      BackendFiles files, String path, Path target, LongConsumer moved, Deadline deadline)
      throws InterruptedException, IOException {
    FileInfo info = files.stat(path, deadline);
    Path part = target.resolveSibling(WorkspaceArchives.temporary("part"));
    boolean done = false;
    try {
      if (info.kind() == FileInfo.Kind.DIRECTORY
          || !downloadFile(files, path, part, moved, deadline)) {
        downloadDirectory(files, path, part, target, moved, deadline);
      } else if (info.kind() == FileInfo.Kind.FILE) {
        Files.setPosixFilePermissions(
            part, HostTreeWriter.permissions(Integer.parseInt(info.permissions(), 8)));
      }
      Files.move(part, target, StandardCopyOption.ATOMIC_MOVE);
      done = true;
    } finally {
      if (!done) {
        discard(part);
      }
    }
  }

  /** False for what is a directory after all, behind a link. */
  private static boolean downloadFile(
      BackendFiles files, String path, Path part, LongConsumer moved, Deadline deadline)
      throws InterruptedException, IOException {
    InputStream opened;
    try {
      opened = files.open(path, deadline);
    } catch (SandboxException e) {
      if (e.code() == ErrorCode.FILE_FAILED && isDirectory(files, path, deadline)) {
        return false;
      }
      throw e;
    }
    try (InputStream in = opened) {
      copy(Moving.of(in, moved), part);
    }
    return true;
  }

  private static void copy(InputStream in, Path part) throws IOException, InterruptedException {
    try (FileOutputStream out = new FileOutputStream(part.toFile())) {
      if (in.getClass() == FileInputStream.class) {
        FileChannel source = ((FileInputStream) in).getChannel();
        long count = 1;
        while (count > 0) {
          count = source.transferTo(source.position(), CHUNK, out.getChannel());
          source.position(source.position() + count);
        }
        return;
      }
      byte[] chunk = new byte[CHUNK];
      for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) {
        if (Thread.interrupted()) {
          throw new InterruptedException("interrupted during a download");
        }
        out.write(chunk, 0, n);
      }
    }
  }

  private static boolean isDirectory(BackendFiles files, String path, Deadline deadline)
      throws InterruptedException {
    try {
      List<FileInfo> unused = files.list(path, deadline);
      return true;
    } catch (SandboxException e) {
      return false;
    }
  }

  private static void downloadDirectory(
      BackendFiles files,
      String path,
      Path part,
      Path target,
      LongConsumer moved,
      Deadline deadline)
      throws InterruptedException, IOException {
    if (Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
      throw new FileAlreadyExistsException(target.toString());
    }
    Files.createDirectory(part);
    try (FileTree tree = files.readTree(path, List.of(), deadline)) {
      FileTree checked = CheckedTree.of(Moving.of(tree, moved));
      new HostTreeWriter(part).write(checked);
    } catch (IOException e) {
      throw WorkspaceArchives.failed(Operation.FILE_DOWNLOAD, path, e);
    }
  }

  private static void discard(Path part) throws IOException {
    if (!Files.exists(part, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    try (Stream<Path> all = Files.walk(part)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}
