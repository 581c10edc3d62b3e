package io.sandboxspi.core.workspace;

import io.sandboxspi.SandboxException;
import io.sandboxspi.spi.BackendFiles;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.FileTree;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.util.Set;

/**
 * A directory of this machine from which files may be copied into a sandbox: sources are relative
 * to it and no link is followed on the way (spec S-MAN-02). Where the system can, directories on
 * the way are held open, so that a link that comes in the place of one is met as a link.
 *
 * @param base may be a link itself
 */
public record TrustedBase(Path base) {
  /** Copies a file with its permissions. */
  public void uploadFile(String source, BackendFiles files, String path, Deadline deadline)
      throws IOException, InterruptedException {
    int slash = source.lastIndexOf('/');
    Path name = Path.of(source.substring(slash + 1));
    try (DirectoryStream<Path> parent =
        open(slash < 0 ? "." : source.substring(0, slash), source)) {
      PosixFileAttributes facts = facts(parent, name, source);
      if (!facts.isRegularFile()) {
        throw refused(source, "a file and no link");
      }
      Set<java.nio.file.OpenOption> options =
          Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
      try (var channel =
          parent instanceof SecureDirectoryStream<Path> secure
              ? secure.newByteChannel(name, options)
              : Files.newByteChannel(base.resolve(source), options)) {
        files.write(path, Channels.newInputStream(channel), channel.size(), deadline);
      }
      files.setMode(path, HostTree.mode(facts.permissions()), deadline);
    }
  }

  /** Copies a directory with all below it into one that is made or merged into. */
  public void uploadDirectory(String source, BackendFiles files, String path, Deadline deadline)
      throws IOException, InterruptedException {
    DirectoryStream<Path> directory = open(source, source);
    try (FileTree tree = new HostTree(directory, base.resolve(source))) {
      Object unused = WorkspaceArchives.add(files, path, CheckedTree.of(tree), deadline);
    }
  }

  private DirectoryStream<Path> open(String directory, String source) throws IOException {
    DirectoryStream<Path> at = Files.newDirectoryStream(base);
    Path path = base;
    for (String part : directory.split("/")) {
      if (part.equals(".")) {
        continue;
      }
      path = path.resolve(part);
      try (DirectoryStream<Path> before = at) {
        if (!facts(before, Path.of(part), source).isDirectory()) {
          throw refused(source, "directories and no links on the way");
        }
        at =
            before instanceof SecureDirectoryStream<Path> secure
                ? secure.newDirectoryStream(Path.of(part), LinkOption.NOFOLLOW_LINKS)
                : Files.newDirectoryStream(path);
      } catch (FileSystemException e) {
        throw refused(source, "directories and no links on the way");
      }
    }
    return at;
  }

  private PosixFileAttributes facts(DirectoryStream<Path> parent, Path name, String source)
      throws IOException {
    try {
      if (parent instanceof SecureDirectoryStream<Path> secure) {
        return secure
            .getFileAttributeView(name, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
            .readAttributes();
      }
      return Files.readAttributes(
          base.resolve(source).resolveSibling(name),
          PosixFileAttributes.class,
          LinkOption.NOFOLLOW_LINKS);
    } catch (FileSystemException e) {
      throw refused(source, "an existing file or directory below " + base);
    }
  }

  private static SandboxException refused(String source, String allowed) {
    return SandboxException.invalid("source", '"' + source + '"', allowed);
  }
}
