package io.sandboxspi.remote.e2b;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.core.posix.ShellText;
import io.sandboxspi.remote.shell.FirstShell;
import io.sandboxspi.spi.Deadline;

/** The first command in a new sandbox: makes the workspace and says where it and the home are. */
final class Greeting {
  private Greeting() {}

  static E2bRef greet(FirstShell shell, String sandbox, E2bOptions options, Deadline deadline)
      throws InterruptedException {
    String workspace = ShellText.quote(options.workspace());
    String script =
        "cd \"${HOME:-/}\" && pwd -P && mkdir -p "
            + workspace
            + " && cd "
            + workspace
            + " && pwd -P && cd /";
    String[] lines = shell.ask(script, deadline).split("\n", -1);
    if (lines.length != 3 || !lines[0].startsWith("/") || !lines[1].startsWith("/")) {
      throw SandboxException.of(
          ErrorCode.CREATE_FAILED,
          Operation.CREATE,
          "the workspace cannot be made, or the sandbox has no working /bin/sh");
    }
    return E2bRef.of(sandbox, lines[0], lines[1], options);
  }
}
