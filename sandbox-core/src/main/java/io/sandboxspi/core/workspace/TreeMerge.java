package io.sandboxspi.core.workspace;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.FileInfo;
import io.sandboxspi.SandboxException;
import io.sandboxspi.spi.BackendFiles;
import io.sandboxspi.spi.Deadline;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Puts the entries of a staged directory among those of another: all are looked at first. */
final class TreeMerge {
  private final BackendFiles files;
  private final Deadline deadline;
  private final List<String[]> moves = new ArrayList<>();

  private TreeMerge(BackendFiles files, Deadline deadline) {
    this.files = files;
    this.deadline = deadline;
  }

  static void merge(BackendFiles files, String staged, String path, Deadline deadline)
      throws InterruptedException {
    TreeMerge merge = new TreeMerge(files, deadline);
    merge.plan(staged, path, "");
    for (String[] move : merge.moves) {
      files.move(move[0], move[1], deadline);
    }
    files.remove(staged, true, deadline);
  }

  private void plan(String from, String to, String member) throws InterruptedException {
    for (FileInfo entry : files.list(from, deadline)) {
      String name = entry.path().substring(entry.path().lastIndexOf('/') + 1);
      String source = from + "/" + name;
      String target = to.equals(".") ? name : to + "/" + name;
      String shown = member + name;
      Optional<FileInfo.Kind> present = kind(target);
      boolean directory = entry.kind() == FileInfo.Kind.DIRECTORY;
      if (present.isEmpty()) {
        moves.add(new String[] {source, target});
      } else if (directory && present.get() == FileInfo.Kind.DIRECTORY) {
        plan(source, target, shown + "/");
      } else if (directory) {
        throw ArchiveErrors.member(
            shown, "is a directory, but the sandbox has something else there");
      } else if (present.get() == FileInfo.Kind.DIRECTORY) {
        throw ArchiveErrors.member(shown, "is no directory, but the sandbox has one there");
      } else {
        moves.add(new String[] {source, target});
      }
    }
  }

  private Optional<FileInfo.Kind> kind(String path) throws InterruptedException {
    try {
      return Optional.of(files.stat(path, deadline).kind());
    } catch (SandboxException e) {
      if (e.code() == ErrorCode.FILE_NOT_FOUND) {
        return Optional.empty();
      }
      throw e;
    }
  }
}
