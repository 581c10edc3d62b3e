package io.sandboxspi.remote.blaxel;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.remote.transport.HttpCall;
import io.sandboxspi.remote.transport.Json;
import io.sandboxspi.remote.transport.OpenStream;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.remote.transport.Repeat;
import io.sandboxspi.remote.transport.Undo;
import io.sandboxspi.spi.Deadline;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Short commands by the agent's process calls. Each is sent once, under a name of ours: by it the
 * command is found when its answer breaks off, and killed when it does not end in time, for the
 * agent lets it run on. Thread-safe.
 */
final class Commands {
  private static final Logger LOG = LoggerFactory.getLogger(Commands.class);

  /** There is a sign of life every five seconds. */
  private static final Duration SILENCE = Duration.ofSeconds(25);

  private static final long FIRST_PAUSE = 100;
  private static final long MOST_PAUSE = 2000;

  private final SandboxApi api;

  Commands(SandboxApi api) {
    this.api = api;
  }

  /**
   * Runs one and answers its output, which must be text, whatever its code.
   *
   * @param what begins every error
   */
  String run(String what, String command, Deadline deadline) throws InterruptedException {
    String name = "sandbox-" + UUID.randomUUID();
    boolean over = false;
    try {
      String output = found(what, name, command, deadline);
      over = true;
      return output;
    } catch (RemoteException e) {
      boolean late = e.refusedWith(422) && String.valueOf(e.getMessage()).contains("timed out");
      over = !late && e.nothingDone();
      throw late ? new RemoteException(Kind.TIMEOUT, what + ": the command did not end", e) : e;
    } finally {
      if (!over) {
        kill(name);
      }
    }
  }

  private String found(String what, String name, String command, Deadline deadline)
      throws InterruptedException {
    try {
      return streamed(what, name, command, deadline);
    } catch (RemoteException e) {
      boolean lost =
          switch (e.kind()) {
            case BROKEN, STALLED -> true;
            default -> e.refusedWith(502) || e.refusedWith(504);
          };
      if (!lost) {
        throw e;
      }
      return again(what, name, e, deadline);
    }
  }

  private String streamed(String what, String name, String command, Deadline deadline)
      throws InterruptedException {
    ObjectNode body =
        Json.object()
            .put("command", command)
            .put("name", name)
            .put("workingDir", "/")
            // For an agent that knows no streams.
            .put("waitForCompletion", true)
            .put("timeout", Math.max(1, (deadline.remaining().toMillis() + 999) / 1000));
    HttpCall call =
        api.call(what, "POST", "/process")
            .header("Accept", "text/event-stream")
            .json(body)
            .repeat(Repeat.NEVER);
    ProcessEvents events = new ProcessEvents(what);
    try (OpenStream stream =
        api.wire()
            .with(
                call,
                deadline,
                signed -> api.wire().transport().stream(signed, events, SILENCE, deadline))) {
      return events.result().get(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new RemoteException(Kind.TIMEOUT, what + ": the command did not end", e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RemoteException failure
          ? failure
          : new RemoteException(Kind.BROKEN, what + ": it failed", e);
    }
  }

  /** Nobody knows whether it was started: it is asked for by its name, and waited for. */
  private String again(String what, String name, RemoteException lost, Deadline deadline)
      throws InterruptedException {
    try {
      for (long pause = FIRST_PAUSE; running(what, name, deadline); pause = longer(pause)) {
        if (deadline.remaining().toMillis() <= pause) {
          throw new RemoteException(Kind.TIMEOUT, what + ": the command did not end", lost);
        }
        Wire.pause(pause);
      }
      HttpCall call = api.call(what, "GET", "/process/" + name + "/logs");
      return api.wire().send(call, deadline).object().path("stdout").asText("");
    } catch (RemoteException e) {
      if (e.kind() == Kind.TIMEOUT) {
        throw e;
      }
      lost.addSuppressed(e);
      throw lost;
    }
  }

  private static long longer(long pause) {
    return Math.min(MOST_PAUSE, 2 * pause);
  }

  private boolean running(String what, String name, Deadline deadline) throws InterruptedException {
    HttpCall call = api.call(what, "GET", "/process/" + name);
    return api.wire().send(call, deadline).object().path("status").asText("").equals("running");
  }

  private void kill(String name) {
    HttpCall call =
        api.call("killing a command", "DELETE", "/process/" + name + "/kill").repeat(Repeat.ALWAYS);
    Undo.attempt(
        deadline -> {
          Object unused = api.wire().send(call, deadline);
        },
        e -> {
          // Unknown or over: that is as well.
          if (!e.refusedWith(404)) {
            LOG.warn("a command may be left running: {}", e.getMessage());
          }
        });
  }
}
