package io.sandboxspi.remote.daytona;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.TerminalSize;
import io.sandboxspi.remote.relay.VendorTerminal;
import io.sandboxspi.remote.transport.Json;
import io.sandboxspi.remote.transport.WebSocketEnd;
import io.sandboxspi.remote.transport.WebSocketLink;
import io.sandboxspi.remote.transport.WebSocketListener;
import io.sandboxspi.spi.Deadline;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** One terminal of the daemon, which keeps nothing for who is away. */
final class DaytonaTerminal implements VendorTerminal {
  private final Toolbox toolbox;
  private final String id;
  private volatile boolean connected;

  DaytonaTerminal(Toolbox toolbox, String id) {
    this.toolbox = toolbox;
    this.id = id;
  }

  @Override
  public void make(Map<String, String> variables, TerminalSize size, Deadline deadline)
      throws InterruptedException {
    toolbox.makePty(id, variables, size, deadline);
  }

  @Override
  public WebSocketLink connect(Listener listener, Deadline deadline) throws InterruptedException {
    if (connected) {
      listener.onGap();
    }
    connected = true;
    return toolbox.connect(id, new Incoming(listener), deadline);
  }

  private static final class Incoming implements WebSocketListener {
    private final Listener listener;

    Incoming(Listener listener) {
      this.listener = listener;
    }

    @Override
    public boolean onBinary(ByteBuffer message) {
      listener.onBytes(message);
      return true;
    }

    @Override
    public boolean onText(String message) {
      byte[] bytes = message.getBytes(StandardCharsets.UTF_8);
      ObjectNode control = Json.parse(bytes).orElse(null);
      if (control == null || !control.path("type").asText().equals("control")) {
        return onBinary(ByteBuffer.wrap(bytes));
      }
      switch (control.path("status").asText()) {
        case "error" -> listener.onEnd(PtyEnd.error(control));
        case "exited" -> listener.onEnd(PtyEnd.exited(control).orElse(PtyEnd.UNKNOWN));
        default -> {
          // Connected; or a word that is new.
        }
      }
      return true;
    }

    @Override
    public void onEnd(WebSocketEnd end) {
      listener.onEnd(PtyEnd.of(end));
    }
  }

  @Override
  public boolean lives(Deadline deadline) throws InterruptedException {
    return toolbox.hasPty(id, deadline);
  }

  @Override
  public boolean replays() {
    return false;
  }

  @Override
  public void resize(TerminalSize size, Deadline deadline) throws InterruptedException {
    toolbox.resize(id, size, deadline);
  }

  @Override
  public void end(Deadline deadline) throws InterruptedException {
    toolbox.deletePty(id, deadline);
  }
}
