package io.sandboxspi.core.session;

import static io.sandboxspi.core.session.FileCalls.BRIEF;
import static io.sandboxspi.core.session.FileCalls.TRANSFER;

import io.sandboxspi.ArchiveFormat;
import io.sandboxspi.ArchiveLimits;
import io.sandboxspi.ArchiveSummary;
import io.sandboxspi.Command;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.FileInfo;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxFiles;
import io.sandboxspi.core.session.SandboxPath.Use;
import io.sandboxspi.core.workspace.HostFiles;
import io.sandboxspi.core.workspace.WorkspaceArchives;
import io.sandboxspi.core.workspace.WorkspaceArchives.OutsideLinks;
import io.sandboxspi.spi.BackendFiles;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;
import java.util.regex.Pattern;

/** Files of a session. */
final class EngineFiles implements SandboxFiles {
  private static final Pattern PERMISSIONS = Pattern.compile("[0-7]{1,4}");
  private static final int LARGEST_ARRAY = Integer.MAX_VALUE - 8;

  private final EngineSession session;
  private final SessionCore core;
  private final FileCalls calls;

  EngineFiles(EngineSession session, SessionCore core) {
    this(session, core, new FileCalls(core));
  }

  private EngineFiles(EngineSession session, SessionCore core, FileCalls calls) {
    this.session = session;
    this.core = core;
    this.calls = calls;
  }

  @Override
  public SandboxFiles asUser(String name) {
    // The values hold the one rule of what an account is called.
    Optional<String> user = Command.of("id").user(name).user();
    core.require(user, Operation.VALIDATE);
    return new EngineFiles(session, core, new FileCalls(core, user));
  }

  @Override
  public byte[] read(String path) throws InterruptedException {
    return calls.call(
        Operation.FILE_READ,
        Use.READ,
        path,
        TRANSFER,
        (files, normal, deadline) -> {
          try (InputStream in = files.open(normal, deadline)) {
            return in.readAllBytes();
          }
        });
  }

  @Override
  public byte[] read(String path, int maxBytes) throws InterruptedException {
    if (maxBytes < 0 || maxBytes > LARGEST_ARRAY) {
      throw SandboxException.invalid("maxBytes", maxBytes, "0 to " + LARGEST_ARRAY);
    }
    return calls.call(
        Operation.FILE_READ,
        Use.READ,
        path,
        TRANSFER,
        (files, normal, deadline) -> {
          try (InputStream in = files.open(normal, deadline)) {
            byte[] content = in.readNBytes(maxBytes);
            if (content.length == maxBytes && in.read() >= 0) {
              throw SandboxException.builder(
                      ErrorCode.LIMIT_EXCEEDED,
                      Operation.FILE_READ,
                      '"' + path + "\" is larger than " + maxBytes + " bytes")
                  .context("path", path)
                  .context("allowed", maxBytes)
                  .build();
            }
            return content;
          }
        });
  }

  @Override
  public InputStream open(String path) throws InterruptedException {
    return new KeepingStream(
        calls.call(Operation.FILE_READ, Use.READ, path, TRANSFER, BackendFiles::open), session);
  }

  @Override
  public void write(String path, byte[] content) throws InterruptedException {
    calls.run(
        Operation.FILE_WRITE,
        Use.WRITE,
        path,
        TRANSFER,
        (files, normal, deadline) ->
            files.write(normal, new ByteArrayInputStream(content), content.length, deadline));
  }

  @Override
  public void write(String path, InputStream content) throws InterruptedException {
    calls.run(
        Operation.FILE_WRITE,
        Use.WRITE,
        path,
        TRANSFER,
        (files, normal, deadline) -> files.write(normal, content, deadline));
  }

  @Override
  public FileInfo stat(String path) throws InterruptedException {
    return calls.call(Operation.FILE_STAT, Use.READ, path, BRIEF, BackendFiles::stat);
  }

  @Override
  public List<FileInfo> list(String path) throws InterruptedException {
    return calls.call(Operation.FILE_LIST, Use.READ, path, BRIEF, BackendFiles::list).stream()
        .sorted(Comparator.comparing(FileInfo::path))
        .toList();
  }

  @Override
  public void makeDirectories(String path) throws InterruptedException {
    calls.run(Operation.FILE_MAKE_DIRECTORY, Use.WRITE, path, BRIEF, BackendFiles::makeDirectories);
  }

  @Override
  public void remove(String path) throws InterruptedException {
    remove(path, false);
  }

  @Override
  public void removeTree(String path) throws InterruptedException {
    remove(path, true);
  }

  private void remove(String path, boolean tree) throws InterruptedException {
    calls.run(
        Operation.FILE_REMOVE,
        Use.WRITE,
        path,
        tree ? TRANSFER : BRIEF,
        (files, normal, deadline) -> {
          notTheTop(normal, path, Operation.FILE_REMOVE);
          files.remove(normal, tree, deadline);
        });
  }

  private static void notTheTop(String normal, String path, Operation operation) {
    if (normal.equals(".")) {
      throw SandboxPath.invalid(operation, path, "is the workspace or a grant itself");
    }
  }

  @Override
  public void move(String from, String to) throws InterruptedException {
    calls.run(
        Operation.FILE_MOVE,
        Use.WRITE,
        from,
        BRIEF,
        (files, normal, deadline) -> {
          String target = calls.second(to, from, Operation.FILE_MOVE);
          notTheTop(normal, from, Operation.FILE_MOVE);
          notTheTop(target, to, Operation.FILE_MOVE);
          files.move(normal, target, deadline);
        });
  }

  @Override
  public void setPermissions(String path, String permissions) throws InterruptedException {
    if (!PERMISSIONS.matcher(permissions).matches()) {
      throw SandboxException.invalid(
          "permissions", '"' + permissions + '"', "one to four octal digits");
    }
    int mode = Integer.parseInt(permissions, 8);
    calls.run(
        Operation.FILE_PERMISSIONS,
        Use.WRITE,
        path,
        BRIEF,
        (files, normal, deadline) -> files.setMode(normal, mode, deadline));
  }

  @Override
  public void upload(Path source, String path) throws InterruptedException {
    calls.run(
        Operation.FILE_UPLOAD,
        Use.WRITE,
        path,
        TRANSFER,
        (files, normal, deadline) -> HostFiles.upload(files, source, normal, deadline));
  }

  @Override
  public void upload(Path source, String path, LongConsumer moved) throws InterruptedException {
    calls.run(
        Operation.FILE_UPLOAD,
        Use.WRITE,
        path,
        TRANSFER,
        (files, normal, deadline) -> HostFiles.upload(files, source, normal, moved, deadline));
  }

  @Override
  public void download(String path, Path target, LongConsumer moved) throws InterruptedException {
    calls.run(
        Operation.FILE_DOWNLOAD,
        Use.READ,
        path,
        TRANSFER,
        (files, normal, deadline) -> HostFiles.download(files, normal, target, moved, deadline));
  }

  @Override
  public void download(String path, Path target) throws InterruptedException {
    calls.run(
        Operation.FILE_DOWNLOAD,
        Use.READ,
        path,
        TRANSFER,
        (files, normal, deadline) -> HostFiles.download(files, normal, target, deadline));
  }

  @Override
  public ArchiveSummary persist(
      String path, List<String> excludes, ArchiveFormat format, OutputStream target)
      throws InterruptedException {
    List<String> normalExcludes =
        excludes.stream()
            .map(exclude -> SandboxPath.relative(exclude, Operation.ARCHIVE_PERSIST))
            .toList();
    return calls.call(
        Operation.ARCHIVE_PERSIST,
        Use.READ,
        path,
        TRANSFER,
        (files, normal, deadline) ->
            WorkspaceArchives.persist(files, normal, normalExcludes, format, target, deadline));
  }

  @Override
  public ArchiveSummary hydrate(String path, InputStream archive, ArchiveLimits limits)
      throws InterruptedException {
    return calls.call(
        Operation.ARCHIVE_HYDRATE,
        Use.WRITE,
        path,
        TRANSFER,
        (files, normal, deadline) ->
            WorkspaceArchives.hydrate(
                files, normal, archive, limits, OutsideLinks.REFUSE, deadline));
  }

  @Override
  public ArchiveSummary extract(String path, InputStream archive, ArchiveLimits limits)
      throws InterruptedException {
    return calls.call(
        Operation.ARCHIVE_EXTRACT,
        Use.WRITE,
        path,
        TRANSFER,
        (files, normal, deadline) ->
            WorkspaceArchives.extract(files, normal, archive, limits, deadline));
  }

  @Override
  public String toString() {
    return "SandboxFiles[session=" + session.id() + "]";
  }
}
