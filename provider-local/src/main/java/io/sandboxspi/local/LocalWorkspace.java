package io.sandboxspi.local;

import io.sandboxspi.core.reap.Owner;
import io.sandboxspi.local.files.TreeRemoval;
import io.sandboxspi.spi.BackendRef;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.ListedBackend;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The directories of a backend (spec S-LOCAL-02): one of its own for temporary files and, unless
 * the caller gave one, the workspace.
 *
 * @param base made by us, 0700
 * @param directory the workspace's real path
 * @param owned whether the workspace is ours, inside {@code base}
 */
record LocalWorkspace(Path base, Path directory, boolean owned) {
  private static final String PREFIX = "sandbox-";

  /** Only what holds it is ever removed. */
  private static final String MARKER = ".sandbox-local";

  private static final String BASE = "base";
  private static final String DIRECTORY = "workspace";
  private static final String OWNED = "owned";

  /**
   * Makes the directories.
   *
   * @param parent where; empty for the system's temporary directory
   * @param given the caller's workspace
   */
  static LocalWorkspace make(BackendRequest request, Optional<Path> parent, Optional<Path> given)
      throws IOException {
    String prefix = PREFIX + request.sessionId() + "-";
    Path base =
        (parent.isPresent()
                ? Files.createTempDirectory(parent.get(), prefix)
                : Files.createTempDirectory(prefix))
            .toRealPath();
    boolean done = false;
    try {
      WorkspaceMark.write(base.resolve(MARKER), request.sessionId(), Owner.of(request));
      Files.createDirectory(base.resolve("tmp"));
      Path directory =
          given.isPresent()
              ? given.get().toRealPath()
              : Files.createDirectory(base.resolve("workspace"));
      done = true;
      return new LocalWorkspace(base, directory, given.isEmpty());
    } finally {
      if (!done) {
        Files.deleteIfExists(base.resolve("tmp"));
        Files.deleteIfExists(base.resolve(MARKER));
        Files.delete(base);
      }
    }
  }

  /** This user's below a directory that have not been removed. */
  static List<ListedBackend> list(Path below) throws IOException {
    List<ListedBackend> found = new ArrayList<>();
    String user = System.getProperty("user.name", "");
    try (DirectoryStream<Path> bases = Files.newDirectoryStream(below, PREFIX + "*")) {
      for (Path base : bases) {
        LocalWorkspace workspace = new LocalWorkspace(base, base.resolve("workspace"), true);
        if (workspace.ours() && belongsTo(base, user)) {
          WorkspaceMark.read(base.resolve(MARKER))
              .map(
                  mark ->
                      new ListedBackend(
                          new BackendRef(LocalProvider.NAME, workspace.data()),
                          mark.session(),
                          mark.owner(),
                          mark.created()))
              .ifPresent(found::add);
        }
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    return found;
  }

  private static boolean belongsTo(Path base, String user) {
    try {
      return Files.getOwner(base, LinkOption.NOFOLLOW_LINKS).getName().equals(user);
    } catch (IOException gone) {
      return false;
    }
  }

  /** What a reference names; empty if it names nothing of ours. */
  static Optional<LocalWorkspace> of(BackendRef ref) {
    String base = ref.data().get(BASE);
    String directory = ref.data().get(DIRECTORY);
    if (base == null || directory == null) {
      return Optional.empty();
    }
    boolean owned = Boolean.parseBoolean(ref.data().get(OWNED));
    return Optional.of(new LocalWorkspace(Path.of(base), Path.of(directory), owned));
  }

  Map<String, String> data() {
    return Map.of(
        BASE, base.toString(),
        DIRECTORY, directory.toString(),
        OWNED, Boolean.toString(owned));
  }

  Path temporary() {
    return base.resolve("tmp");
  }

  boolean exists() {
    return Files.isDirectory(directory);
  }

  /** Whether the base is there and was made by us; a forged reference removes nothing else. */
  boolean ours() {
    return base.isAbsolute()
        && base.equals(base.normalize())
        && String.valueOf(base.getFileName()).startsWith(PREFIX)
        && Files.isDirectory(base, LinkOption.NOFOLLOW_LINKS)
        && Files.isRegularFile(base.resolve(MARKER), LinkOption.NOFOLLOW_LINKS);
  }

  /** Makes again what a release removed. */
  LocalWorkspace prepared() throws IOException {
    if (!ours()) {
      return make(
          new BackendRequest("attached", Map.of()), Optional.empty(), Optional.of(directory));
    }
    WorkspaceMark.take(base.resolve(MARKER));
    if (!Files.isDirectory(temporary())) {
      Files.createDirectory(temporary());
    }
    return this;
  }

  /** Removes what a release removes: all but a workspace that is ours. */
  void release(TreeRemoval.Check check) throws IOException, InterruptedException {
    if (!owned) {
      remove(check);
    } else if (ours()) {
      TreeRemoval.remove(temporary(), check);
    }
  }

  /** Removes all that is ours; a caller's workspace stays. */
  void remove(TreeRemoval.Check check) throws IOException, InterruptedException {
    if (ours()) {
      if (owned) {
        TreeRemoval.remove(base.resolve("workspace"), check);
      }
      TreeRemoval.remove(temporary(), check);
      // The marker last, so that an attempt that failed can be repeated.
      TreeRemoval.remove(base, check);
    }
  }
}
