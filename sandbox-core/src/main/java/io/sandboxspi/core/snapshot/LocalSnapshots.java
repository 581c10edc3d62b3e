package io.sandboxspi.core.snapshot;

import io.sandboxspi.SandboxException;
import io.sandboxspi.spi.SnapshotStore;
import io.sandboxspi.spi.SnapshotStoreProvider;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;

/**
 * Keeps snapshots in a directory of this machine, by default {@code
 * $XDG_STATE_HOME/sandbox/snapshots} or {@code ~/.local/state/sandbox/snapshots}; the option {@code
 * directory} names another by its absolute path. Files and directories are for their owner only.
 * Thread-safe.
 */
public final class LocalSnapshots implements SnapshotStoreProvider {
  /** The name a policy uses. */
  public static final String NAME = "local";

  /** The option that names the directory. */
  public static final String DIRECTORY = "directory";

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public SnapshotStore open(Map<String, String> options) {
    for (String name : options.keySet()) {
      if (!name.equals(DIRECTORY)) {
        throw SandboxException.invalid("option of snapshot store " + NAME, name, DIRECTORY);
      }
    }
    String given = options.get(DIRECTORY);
    return new LocalSnapshotStore(given == null ? byDefault() : absolute(given));
  }

  private static Path absolute(String given) {
    try {
      Path path = Path.of(given);
      if (path.isAbsolute()) {
        return path.normalize();
      }
    } catch (InvalidPathException e) {
      throw SandboxException.invalid(DIRECTORY, '"' + given + '"', "an absolute path");
    }
    throw SandboxException.invalid(DIRECTORY, '"' + given + '"', "an absolute path");
  }

  private static Path byDefault() {
    String state = System.getenv("XDG_STATE_HOME");
    Path base =
        state != null && state.startsWith("/")
            ? Path.of(state)
            : Path.of(System.getProperty("user.home"), ".local", "state");
    return base.resolve("sandbox").resolve("snapshots");
  }
}
