package io.sandboxspi.remote.blaxel;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.TerminalSize;
import io.sandboxspi.remote.transport.HttpCall;
import io.sandboxspi.remote.transport.Json;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.remote.transport.Repeat;
import io.sandboxspi.remote.transport.Secret;
import io.sandboxspi.remote.transport.WebSocketLink;
import io.sandboxspi.remote.transport.WebSocketListener;
import io.sandboxspi.remote.transport.WebSocketOptions;
import io.sandboxspi.spi.Deadline;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Commands and terminals of the agent in one sandbox. Thread-safe. */
final class SandboxApi {
  private static final Logger LOG = LoggerFactory.getLogger(SandboxApi.class);
  private static final Duration TIDY = Duration.ofSeconds(5);

  /** The edge drops a request that is silent for longer than a minute. */
  private static final long MOST_SECONDS = 50;

  private final Wire wire;
  private final URI base;

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
    return base.getHost();
  }

  HttpCall call(String what, String method, String path) {
    return HttpCall.of(what, method, URI.create(base + path));
  }

  /**
   * Runs a short command and answers its output, whatever its code. What does not end in time is
   * killed: the agent lets it run on.
   */
  String run(String what, String command, Deadline deadline) throws InterruptedException {
    String name = "sandbox-" + UUID.randomUUID();
    long seconds =
        Math.max(1, Math.min(MOST_SECONDS, (deadline.remaining().toMillis() + 999) / 1000));
    ObjectNode body =
        Json.object()
            .put("command", command)
            .put("name", name)
            .put("workingDir", "/")
            .put("waitForCompletion", true)
            .put("timeout", seconds);
    // Never sent twice.
    HttpCall call = call(what, "POST", "/process").json(body).repeat(Repeat.NEVER);
    boolean over = false;
    try {
      ObjectNode answer = wire.send(call, deadline).object();
      over = true;
      return answer.path("stdout").asText("");
    } catch (RemoteException e) {
      boolean late = e.refusedWith(422) && String.valueOf(e.getMessage()).contains("timed out");
      boolean refused = e.kind() == Kind.REFUSED && e.status() < 500 && !late;
      over = refused || e.kind() == Kind.UNREACHABLE || e.kind() == Kind.TLS;
      throw late ? new RemoteException(Kind.TIMEOUT, what + ": the command did not end", e) : e;
    } finally {
      if (!over) {
        killProcess(name);
      }
    }
  }

  private void killProcess(String name) {
    boolean interrupted = Thread.interrupted();
    try {
      HttpCall call =
          call("killing a command", "DELETE", "/process/" + name + "/kill").repeat(Repeat.ALWAYS);
      Object unused = wire.send(call, Deadline.after(TIDY));
    } catch (RemoteException e) {
      // Unknown or over: that is as well.
      if (!e.refusedWith(404)) {
        LOG.warn("a command may be left running: {}", e.getMessage());
      }
    } catch (InterruptedException e) {
      interrupted = true;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
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
