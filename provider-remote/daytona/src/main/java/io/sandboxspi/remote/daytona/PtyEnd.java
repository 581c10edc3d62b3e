package io.sandboxspi.remote.daytona;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.ExitStatus;
import io.sandboxspi.remote.shell.Output;
import io.sandboxspi.remote.transport.Json;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.remote.transport.WebSocketEnd;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** What the daemon says at a terminal's end: in a message, or as the reason of its close. */
final class PtyEnd {
  /** In order, with nothing said of the process. */
  static final Output.End UNKNOWN = new Output.End(Optional.empty(), Optional.empty());

  private static final int NORMAL = 1000;

  private PtyEnd() {}

  static Output.End of(WebSocketEnd end) {
    if (end instanceof WebSocketEnd.Closed goodbye) {
      // A close of order without a code is no code 0: nobody said so.
      return Json.parse(goodbye.reason().getBytes(StandardCharsets.UTF_8))
          .flatMap(PtyEnd::exited)
          .orElseGet(
              () ->
                  goodbye.code() == NORMAL
                      ? UNKNOWN
                      : broken("the terminal's connection ended with code " + goodbye.code()));
    }
    return end instanceof WebSocketEnd.Failed failed
        ? Output.End.broken(failed.failure())
        : UNKNOWN;
  }

  /** Of an exit code that can be one. */
  static Optional<Output.End> exited(ObjectNode said) {
    int code = said.path("exitCode").isInt() ? said.path("exitCode").intValue() : -1;
    return code >= 0 && code <= 255
        ? Optional.of(Output.End.of(new ExitStatus.Exited(code)))
        : Optional.empty();
  }

  static Output.End error(ObjectNode said) {
    return broken("the terminal is lost: " + said.path("error").asText(""));
  }

  private static Output.End broken(String why) {
    return Output.End.broken(new RemoteException(Kind.BROKEN, why));
  }
}
