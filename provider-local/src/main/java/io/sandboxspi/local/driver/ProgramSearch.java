package io.sandboxspi.local.driver;

import io.sandboxspi.local.driver.SpawnException.Kind;

/**
 * Finds a program as {@code execvp} would in the child, and explains a failed start. Thread-safe.
 */
public final class ProgramSearch {
  private static final String DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";
  private static final int EPERM = 1;
  private static final int ENOENT = 2;
  private static final int E2BIG = 7;
  private static final int ENOEXEC = 8;
  private static final int EAGAIN = 11;
  private static final int BSD_EAGAIN = 35;
  private static final int ENOMEM = 12;
  private static final int EACCES = 13;
  private static final int ENFILE = 23;
  private static final int EMFILE = 24;
  private static final int ENOSPC = 28;

  /** Asks the file system; paths are absolute. */
  public interface Probe {
    /** Whether anything is there. */
    boolean exists(String path);

    /** Whether it is a directory. */
    boolean isDirectory(String path);

    /** Whether it may be executed or, as a directory, entered. */
    boolean isExecutable(String path);
  }

  private final Probe probe;

  /** Over these facts. */
  public ProgramSearch(Probe probe) {
    this.probe = probe;
  }

  /**
   * The absolute path of the request's program.
   *
   * @throws SpawnException if a program without slash is in no directory of the child's PATH
   */
  public String find(SpawnRequest request) throws SpawnException {
    String program = request.argv().get(0);
    if (program.indexOf('/') >= 0) {
      return absolute(request, program);
    }
    boolean seen = false;
    String path = request.environment().getOrDefault("PATH", DEFAULT_PATH);
    for (String entry : path.split(":", -1)) {
      String candidate =
          absolute(request, entry.isEmpty() ? "./" + program : entry + "/" + program);
      if (runnable(candidate)) {
        return candidate;
      }
      seen |= probe.exists(candidate) && !probe.isDirectory(candidate);
    }
    checkDirectory(request);
    if (seen) {
      throw new SpawnException(
          Kind.NOT_EXECUTABLE, EACCES, "program " + program + " in PATH is not executable");
    }
    throw new SpawnException(Kind.NOT_FOUND, ENOENT, "program " + program + " is not in PATH");
  }

  /** Whether a file is there that may be executed. */
  public boolean runnable(String path) {
    return probe.isExecutable(path) && !probe.isDirectory(path);
  }

  /** Refuses a directory or program that cannot work, for drivers that get no error back. */
  public void preflight(SpawnRequest request, String program) throws SpawnException {
    checkDirectory(request);
    if (!probe.exists(program)) {
      throw new SpawnException(
          Kind.NOT_FOUND, ENOENT, "program " + request.argv().get(0) + " does not exist");
    }
    if (probe.isDirectory(program)) {
      throw new SpawnException(
          Kind.NOT_EXECUTABLE, EACCES, "program " + request.argv().get(0) + " is a directory");
    }
    if (!probe.isExecutable(program)) {
      throw new SpawnException(
          Kind.NOT_EXECUTABLE, EACCES, "program " + request.argv().get(0) + " is not executable");
    }
  }

  /** What a failed start of this program means. */
  public SpawnException explain(SpawnRequest request, String program, int errno) {
    switch (errno) {
      case EAGAIN, BSD_EAGAIN, ENOMEM, ENFILE, EMFILE, ENOSPC -> {
        return limit("process", errno);
      }
      case E2BIG -> {
        return new SpawnException(
            Kind.INVALID, errno, "arguments and environment are too long for the system");
      }
      default -> {
        try {
          preflight(request, program);
        } catch (SpawnException found) {
          return found;
        }
      }
    }
    String name = request.argv().get(0);
    return switch (errno) {
      case ENOENT ->
          new SpawnException(
              Kind.NOT_EXECUTABLE, errno, "the interpreter or loader of " + name + " is missing");
      case ENOEXEC ->
          new SpawnException(
              Kind.NOT_EXECUTABLE, errno, "program " + name + " has no format the system can run");
      case EACCES, EPERM ->
          new SpawnException(
              Kind.NOT_EXECUTABLE, errno, "program " + name + " may not be executed");
      default -> new SpawnException(Kind.OTHER, errno, "program " + name + " did not start");
    };
  }

  /** Why a terminal could not be opened. */
  public static SpawnException noTerminal(int errno) {
    return switch (errno) {
      case EAGAIN, BSD_EAGAIN, ENOMEM, ENFILE, EMFILE, ENOSPC -> limit("terminal", errno);
      default -> new SpawnException(Kind.OTHER, errno, "this machine gives no terminals");
    };
  }

  /** The machine has no room for another one of these. */
  public static SpawnException limit(String what, int errno) {
    return new SpawnException(
        Kind.LIMIT, errno, "no room for another " + what + " (descriptors, processes or memory)");
  }

  private void checkDirectory(SpawnRequest request) throws SpawnException {
    String directory = request.directory();
    if (!probe.isDirectory(directory)) {
      throw new SpawnException(
          Kind.BAD_DIRECTORY, ENOENT, "working directory " + directory + " is not a directory");
    }
    if (!probe.isExecutable(directory)) {
      throw new SpawnException(
          Kind.BAD_DIRECTORY, EACCES, "working directory " + directory + " may not be entered");
    }
  }

  private static String absolute(SpawnRequest request, String path) {
    return path.startsWith("/") ? path : request.directory() + "/" + path;
  }
}
