package io.sandboxspi.remote.transport;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.eclipse.jetty.websocket.api.Callback;
import org.eclipse.jetty.websocket.api.Session;

/** A WebSocket of the test server: the script hears "open" and every message as text. */
public final class SocketScript extends Session.Listener.AbstractAutoDemanding {
  private final Script script;

  interface Script {
    void on(Session session, String message) throws Exception;
  }

  SocketScript(Script script) {
    this.script = script;
  }

  private void run(String message) {
    try {
      script.on(getSession(), message);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void onWebSocketOpen(Session session) {
    super.onWebSocketOpen(session);
    run("open");
  }

  @Override
  public void onWebSocketText(String message) {
    run(message);
  }

  @Override
  public void onWebSocketBinary(ByteBuffer payload, Callback callback) {
    run("binary " + StandardCharsets.UTF_8.decode(payload));
    callback.succeed();
  }
}
