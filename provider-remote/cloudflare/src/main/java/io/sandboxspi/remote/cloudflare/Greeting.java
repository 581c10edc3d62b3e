package io.sandboxspi.remote.cloudflare;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.core.posix.ShellText;
import io.sandboxspi.spi.Deadline;
import java.util.UUID;

/** The first command in a new sandbox: marks it, and says where things are. */
final class Greeting {
  /** What relays, the launcher and files need beside a shell. */
  private static final String TOOLS = "setsid stty dd mkfifo mkdir cat rm";

  private Greeting() {}

  static CloudflareRef greet(
      Bridge bridge, String sandbox, CloudflareOptions options, Deadline deadline)
      throws InterruptedException {
    String instance = UUID.randomUUID().toString();
    String workspace = ShellText.quote(options.workspace());
    // Links in the path of the workspace would let it lead out of what the bridge can reach.
    String script =
        "for tool in "
            + TOOLS
            + "; do command -v $tool >/dev/null || echo \"missing $tool\"; done\n"
            + "root=$(pwd -P); home=$(cd \"${HOME:-/tmp}\" && pwd -P)\n"
            + "mkdir -p "
            + workspace
            + " && cd "
            + workspace
            + " && umask 077 && : >\"$home/.sandbox-spi-"
            + instance
            + "\" && printf '%s\\n' \"$root\" \"$home\" \"$(pwd -P)\"";
    String[] lines =
        bridge.ask(sandbox, "looking at the sandbox", script, deadline).split("\n", -1);
    if (lines.length > 0 && lines[0].startsWith("missing ")) {
      throw failed("the sandbox's image has no " + lines[0].substring("missing ".length()));
    }
    if (lines.length != 4 || !lines[0].startsWith("/") || !lines[1].startsWith("/")) {
      throw failed("the workspace cannot be made, or a path has a line break in it");
    }
    if (!(lines[2] + "/").startsWith(lines[0] + "/")) {
      throw failed("the workspace is not at or below " + lines[0]);
    }
    return new CloudflareRef(
        bridge.worker(),
        sandbox,
        instance,
        lines[1],
        lines[0],
        lines[2],
        options.sleepAfter(),
        options.keepAlive(),
        options.onRelease(),
        options.ports(),
        options.given());
  }

  private static SandboxException failed(String why) {
    return SandboxException.of(ErrorCode.CREATE_FAILED, Operation.CREATE, why);
  }
}
