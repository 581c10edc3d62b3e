package io.sandboxspi.core.posix;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;

/** A shell and the tools beside it, as a sandbox's image may have them. */
public enum World {
  DASH,
  BASH,
  /** Nothing but applets. */
  BUSYBOX;

  private Optional<Path> tools = Optional.empty();

  /** A directory with the shell as {@code sh}. */
  public synchronized Path tools() throws IOException, InterruptedException {
    if (tools.isEmpty()) {
      Path made = Files.createTempDirectory("sandbox-world");
      // Other users need the shell too.
      Files.setPosixFilePermissions(made, PosixFilePermissions.fromString("rwxr-xr-x"));
      Path binary = find(name().toLowerCase(java.util.Locale.ROOT));
      List<String> links = this == BUSYBOX ? applets(binary) : List.of("sh");
      for (String link : links) {
        Files.createSymbolicLink(made.resolve(link), binary);
        made.resolve(link).toFile().deleteOnExit();
      }
      made.toFile().deleteOnExit();
      tools = Optional.of(made);
    }
    return tools.get();
  }

  /** The shell's path. */
  public String shell() throws IOException, InterruptedException {
    return tools().resolve("sh").toString();
  }

  /** Where its programs find others. */
  public String path() throws IOException, InterruptedException {
    return this == BUSYBOX ? tools().toString() : "/usr/bin:/bin";
  }

  static Path find(String program) {
    for (String directory : System.getenv("PATH").split(File.pathSeparator)) {
      Path path = Path.of(directory, program);
      if (Files.isExecutable(path)) {
        return path;
      }
    }
    throw new AssertionError(program + " is not installed");
  }

  private static List<String> applets(Path busybox) throws IOException, InterruptedException {
    Process list = new ProcessBuilder(busybox.toString(), "--list").start();
    String names = new String(list.getInputStream().readAllBytes());
    list.waitFor();
    return names.lines().filter(name -> !name.equals("busybox")).toList();
  }
}
