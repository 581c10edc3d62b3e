package io.sandboxspi.remote.cloudflare;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.ExitStatus;
import io.sandboxspi.remote.relay.VendorTerminal;
import io.sandboxspi.remote.shell.Output;
import io.sandboxspi.remote.transport.Json;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.remote.transport.WebSocketEnd;
import io.sandboxspi.remote.transport.WebSocketListener;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What comes on one connection to a terminal. Fields are of the socket's thread. */
final class Frames implements WebSocketListener {
  private static final Logger LOG = LoggerFactory.getLogger(Frames.class);

  /** In order, with nothing said of the process. */
  private static final Output.End ENDED = new Output.End(Optional.empty(), Optional.empty());

  /** How a terminal whose shell has ended answers everything. */
  private static final String DEAD = "Invalid control message";

  private final VendorTerminal.Listener listener;
  private final Replay replay;
  private final boolean again;
  private final CompletableFuture<Boolean> ready = new CompletableFuture<>();
  private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
  private boolean over;

  /**
   * For one connection.
   *
   * @param again whether it is not the terminal's first
   */
  Frames(VendorTerminal.Listener listener, Replay replay, boolean again) {
    this.listener = listener;
    this.replay = replay;
    this.again = again;
  }

  /** Completes when the terminal is ready; fails when it cannot be. */
  CompletableFuture<Boolean> ready() {
    return ready;
  }

  @Override
  public boolean onBinary(ByteBuffer message) {
    if (ready.isDone()) {
      deliver(message);
    } else {
      byte[] bytes = new byte[message.remaining()];
      message.get(bytes);
      kept.writeBytes(bytes);
    }
    return true;
  }

  private void deliver(ByteBuffer bytes) {
    if (!over && bytes.hasRemaining()) {
      replay.count(bytes);
      listener.onBytes(bytes);
    }
  }

  /**
   * A word of a later server is passed over. What is no word at all may stand for anything: the
   * connection is not believed any more, and the next one brings what is missing.
   */
  @Override
  public boolean onText(String message) {
    ObjectNode control =
        Json.parse(message.getBytes(StandardCharsets.UTF_8))
            .orElseThrow(
                () ->
                    new RemoteException(
                        Kind.MALFORMED, "the terminal's connection brought no object of JSON"));
    String said = control.path("message").asText("");
    switch (control.path("type").asText("")) {
      case "ready" -> becomeReady();
      case "exit" -> end(exited(control));
      case "error" -> {
        if (!ready.isDone()) {
          fail("the terminal cannot be used: " + said);
        } else if (said.equals(DEAD)) {
          end(ENDED);
        } else {
          LOG.debug("the server does not take a message: {}", said);
        }
      }
      default -> LOG.debug("the server says something new");
    }
    return true;
  }

  private void becomeReady() {
    if (ready.isDone()) {
      return;
    }
    byte[] bytes = kept.toByteArray();
    kept.reset();
    if (again) {
      if (bytes.length == 0 && replay.total() > 0) {
        // The server made a new one: that of before is lost.
        fail("the terminal does not exist any more");
        return;
      }
      Replay.Place place = replay.find(bytes);
      if (place.gap()) {
        listener.onGap();
      }
      boolean unused = ready.complete(true);
      deliver(ByteBuffer.wrap(bytes, place.from(), bytes.length - place.from()).slice());
    } else {
      boolean unused = ready.complete(true);
      deliver(ByteBuffer.wrap(bytes));
    }
  }

  private void fail(String why) {
    over = true;
    boolean unused = ready.completeExceptionally(new RemoteException(Kind.BROKEN, why));
  }

  /** Of a server that says how its shell ended. */
  private static Output.End exited(ObjectNode said) {
    int code = said.path("code").isInt() ? said.path("code").intValue() : -1;
    return code >= 0 && code <= 255 ? Output.End.of(new ExitStatus.Exited(code)) : ENDED;
  }

  private void end(Output.End end) {
    if (!over && ready.isDone()) {
      over = true;
      listener.onEnd(end);
    }
  }

  @Override
  public void onEnd(WebSocketEnd end) {
    RemoteException why =
        end instanceof WebSocketEnd.Failed failed
            ? failed.failure()
            : new RemoteException(Kind.BROKEN, "the terminal's connection ended: " + end);
    if (ready.isDone()) {
      end(Output.End.broken(why));
    } else {
      over = true;
      boolean unused = ready.completeExceptionally(why);
    }
  }
}
