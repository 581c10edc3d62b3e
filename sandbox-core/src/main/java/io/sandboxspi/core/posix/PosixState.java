package io.sandboxspi.core.posix;

import io.sandboxspi.SandboxException;
import java.util.List;

/**
 * Where the shell keeps what it knows of its launches, and which shell that is. Who starts and who
 * ends launches must use the same directory and be the same user: the directory belongs to whoever
 * comes first.
 *
 * @param directory absolute; made with mode 0700 when missing, refused when it is a link or belongs
 *     to another user
 * @param shell absolute path of a POSIX shell in the sandbox
 */
public record PosixState(String directory, String shell) {
  private static final String LIBRARY = ShellText.resource("control.sh");

  /** Checks the form. */
  public PosixState {
    absolute("state directory", directory);
    absolute("shell", shell);
  }

  /** State in this directory, with {@code /bin/sh}. */
  public static PosixState in(String directory) {
    return new PosixState(directory, "/bin/sh");
  }

  /** The functions that {@link PosixKill} and others call; a {@link ControlShell} reads it once. */
  public static String library() {
    return LIBRARY;
  }

  /**
   * Program and arguments that run one command of this package in a shell of its own. Where a
   * {@link ControlShell} is at hand that is faster.
   *
   * @param command from {@link PosixKill} and others
   */
  public List<String> argv(String command) {
    return List.of(shell, "-c", LIBRARY + command, "sandbox-control");
  }

  private static void absolute(String field, String path) {
    if (!path.startsWith("/") || path.indexOf('\0') >= 0) {
      throw SandboxException.invalid(field, '"' + path + '"', "an absolute path");
    }
  }
}
