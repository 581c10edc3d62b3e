package io.sandboxspi.local;

import io.sandboxspi.local.driver.ProgramSearch;
import io.sandboxspi.local.driver.SpawnException;
import io.sandboxspi.local.driver.SpawnRequest;
import io.sandboxspi.local.driver.posix.NativeProbe;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Confinement by the {@code bwrap} program (spec S-LOCAL-04): own process and network namespaces,
 * all of the file system read-only but the workspace, a private /tmp, and an end with its parent.
 * It reports a command that signal n ended as exit code 128+n.
 */
record Bubblewrap(Path program) {
  private static final ProgramSearch SEARCH = new ProgramSearch(new NativeProbe());

  /** Finds it in a search path; empty if it is not installed. */
  static Optional<Bubblewrap> find(String searchPath) {
    for (String directory : searchPath.split(":")) {
      Path candidate = Path.of(directory.isEmpty() ? "." : directory, "bwrap").toAbsolutePath();
      if (Files.isExecutable(candidate) && !Files.isDirectory(candidate)) {
        return Optional.of(new Bubblewrap(candidate));
      }
    }
    return Optional.empty();
  }

  /**
   * Runs a command confined. Its program and directory are checked first, as bwrap tells their
   * faults by text only.
   *
   * @param workspace stays writable, at the same path
   */
  SpawnRequest wrap(SpawnRequest plain, String workspace) throws SpawnException {
    plain.check();
    String found = SEARCH.find(plain);
    SEARCH.preflight(plain, found);
    List<String> command = new ArrayList<>();
    command.add(program.toString());
    command.addAll(List.of("--die-with-parent", "--unshare-pid", "--unshare-net"));
    command.addAll(List.of("--unshare-ipc", "--unshare-uts"));
    command.addAll(List.of("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"));
    command.addAll(List.of("--tmpfs", "/tmp", "--bind", workspace, workspace));
    command.addAll(List.of("--chdir", plain.directory()));
    command.addAll(List.of("--", found));
    command.addAll(plain.argv().subList(1, plain.argv().size()));
    return new SpawnRequest(command, plain.environment(), "/", plain.terminal(), plain.openInput());
  }
}
