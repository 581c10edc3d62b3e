package io.sandboxspi.remote.blaxel;

import io.sandboxspi.TerminalSize;
import io.sandboxspi.remote.transport.HttpCall;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.remote.transport.Secret;
import io.sandboxspi.remote.transport.WebSocketLink;
import io.sandboxspi.remote.transport.WebSocketListener;
import io.sandboxspi.remote.transport.WebSocketOptions;
import io.sandboxspi.spi.Deadline;
import java.net.URI;
import java.util.Optional;

/** Commands and terminals of the agent in one sandbox. Thread-safe. */
final class SandboxApi {
  private final Wire wire;
  private final URI base;
  private final Commands commands = new Commands(this);

  /** Makes no call. */
  SandboxApi(Wire wire, URI base) {
    this.wire = wire;
    this.base = base;
  }

  Wire wire() {
    return wire;
  }

  /** Where it is, without a path. */
  String host() {
    return base.getHost().replaceAll("[\\[\\]]", "");
  }

  HttpCall call(String what, String method, String path) {
    return HttpCall.of(what, method, URI.create(base + path));
  }

  /** As {@link Commands#run}. */
  String run(String what, String command, Deadline deadline) throws InterruptedException {
    return commands.run(what, command, deadline);
  }

  /** A shell of a terminal, told apart from a later process of the same number. */
  record Shell(String pid, String start) {
    Shell {
      if (!pid.matches("[0-9]{1,10}") || !start.matches("[0-9]{1,20}")) {
        throw new RemoteException(Kind.MALFORMED, "the terminal's shell has no number");
      }
    }

    private String check() {
      return "read -r s </proc/"
          + pid
          + "/stat && s=${s##*) } && set -- $s && [ \"$1\" != Z ] && [ \"${20}\" = "
          + start
          + " ]";
    }
  }

  /** Whether it lives. */
  boolean alive(Shell shell, Deadline deadline) throws InterruptedException {
    return run("asking for a terminal's shell", shell.check() + " && echo alive", deadline)
        .contains("alive");
  }

  /** Ends it, and with it what is left in its session. */
  void kill(Shell shell, Deadline deadline) throws InterruptedException {
    String unused =
        run("ending a terminal", shell.check() + " && kill -KILL " + shell.pid(), deadline);
  }

  /** Connects to a terminal; its shell is started if there is none of this id. */
  WebSocketLink connect(String id, TerminalSize size, WebSocketListener listener, Deadline deadline)
      throws InterruptedException {
    String query =
        "cols="
            + size.columns()
            + "&rows="
            + size.rows()
            + "&sessionId="
            + id
            + "&workingDir=/&shell=/bin/sh";
    try {
      return open(query, listener, deadline);
    } catch (RemoteException e) {
      Optional<Secret> secret = wire.secret(deadline);
      if (secret.isEmpty() || !(e.refusedWith(401) || e.refusedWith(403))) {
        throw e;
      }
      // A gateway that reads no headers here.
      return open(query + "&token=" + HttpCall.encode(secret.get().reveal()), listener, deadline);
    }
  }

  private WebSocketLink open(String query, WebSocketListener listener, Deadline deadline)
      throws InterruptedException {
    String path = base.toString().replaceFirst("^http", "ws") + "/terminal/ws?" + query;
    HttpCall call = HttpCall.of("connecting to a terminal", "GET", URI.create(path));
    return wire.with(
        call,
        deadline,
        signed -> wire.transport().webSocket(signed, WebSocketOptions.DEFAULT, listener, deadline));
  }
}
