package io.sandboxspi.spi;

import io.sandboxspi.FileInfo;
import io.sandboxspi.SandboxException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** A switch of directories made of single renames. */
final class TreeSwitch {
  private static final Duration UNDO = Duration.ofSeconds(30);

  private TreeSwitch() {}

  static void replaceContent(BackendFiles files, String path, String staged, Deadline deadline)
      throws InterruptedException {
    String old = in(path, ".sandbox-" + UUID.randomUUID() + ".old");
    List<String[]> done = new ArrayList<>();
    files.makeDirectories(old, deadline);
    try {
      for (FileInfo entry : files.list(path, deadline)) {
        String name = name(entry);
        if (!in(path, name).equals(staged) && !in(path, name).equals(old)) {
          move(files, in(path, name), old + "/" + name, done, deadline);
        }
      }
      for (FileInfo entry : files.list(staged, deadline)) {
        String name = name(entry);
        move(files, staged + "/" + name, in(path, name), done, deadline);
      }
    } catch (SandboxException | InterruptedException e) {
      undo(files, done, e);
      throw e;
    }
    files.remove(staged, true, deadline);
    files.remove(old, true, deadline);
  }

  private static void move(
      BackendFiles files, String from, String to, List<String[]> done, Deadline deadline)
      throws InterruptedException {
    files.move(from, to, deadline);
    done.add(new String[] {from, to});
  }

  /** The first failure is the one that counts; what cannot be put back is told under it. */
  private static void undo(BackendFiles files, List<String[]> done, Exception failure)
      throws InterruptedException {
    Deadline deadline = Deadline.after(UNDO);
    boolean interrupted = Thread.interrupted();
    for (int i = done.size() - 1; i >= 0; i--) {
      try {
        files.move(done.get(i)[1], done.get(i)[0], deadline);
      } catch (SandboxException e) {
        failure.addSuppressed(e);
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static String in(String directory, String name) {
    return directory.equals(".") ? name : directory + "/" + name;
  }

  private static String name(FileInfo entry) {
    return entry.path().substring(entry.path().lastIndexOf('/') + 1);
  }
}
