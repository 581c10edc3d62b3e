package io.sandboxspi.fake.cloudflare;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.sandboxspi.fake.Exchange;
import io.sandboxspi.fake.Fault;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import org.eclipse.jetty.websocket.api.Callback;
import org.eclipse.jetty.websocket.api.Session;
import org.jspecify.annotations.Nullable;

/** One connection to a terminal. */
public final class PtyClient implements Session.Listener.AutoDemanding {
  private static final int LONGEST_INPUT = 1 << 20;
  private static final long MOST_QUEUED = 8L << 20;
  private static final int SERVER_ERROR = 1011;

  private final Container container;
  private final BridgeSession bridge;
  private final String shell;
  private final int columns;
  private final int rows;
  private final Optional<Fault> fault;
  private final Queue<Object> queue = new ArrayDeque<>();
  private long queued;
  private @Nullable Session session;
  private @Nullable Pty pty;
  private boolean sending;
  private boolean over;
  private int messages;

  PtyClient(
      Container container,
      BridgeSession bridge,
      String shell,
      int columns,
      int rows,
      Optional<Fault> fault) {
    this.container = container;
    this.bridge = bridge;
    this.shell = shell;
    this.columns = columns;
    this.rows = rows;
    this.fault = fault;
  }

  @Override
  public void onWebSocketOpen(Session opened) {
    opened.setMaxBinaryMessageSize(LONGEST_INPUT);
    opened.setMaxTextMessageSize(LONGEST_INPUT);
    synchronized (this) {
      session = opened;
    }
    try {
      Pty mine = bridge.attach(this, shell, columns, rows);
      synchronized (this) {
        pty = mine;
      }
    } catch (IOException e) {
      String why = String.valueOf(e.getMessage());
      text(error(why));
      opened.close(SERVER_ERROR, why, Callback.NOOP);
    }
  }

  private static String error(String message) {
    return CloudflareFake.object().put("type", "error").put("message", message).toString();
  }

  /** All that is kept in one message, if there is any. */
  void ready(byte[] kept) {
    if (kept.length > 0) {
      add(kept);
    }
    text("{\"type\":\"ready\"}");
  }

  void output(byte[] bytes) {
    synchronized (this) {
      messages++;
      if (fault.orElse(null) instanceof Fault.CutStream cut && messages > cut.messages()) {
        cut();
        return;
      }
      if (fault.orElse(null) instanceof Fault.SilentStream silent && messages > silent.messages()) {
        return;
      }
    }
    add(bytes);
    if (fault.orElse(null) instanceof Fault.DuplicateStream && messages > 1) {
      add(bytes);
    }
    if (fault.orElse(null) instanceof Fault.SpoilStream spoil && messages == spoil.messages()) {
      text(new String(spoil.bytes(), java.nio.charset.StandardCharsets.UTF_8));
    }
  }

  void text(String message) {
    add(message);
  }

  private void add(Object message) {
    synchronized (this) {
      if (over) {
        return;
      }
      queue.add(message);
      queued += message instanceof byte[] bytes ? bytes.length : 0;
    }
    pump();
  }

  private void pump() {
    Object next;
    Session mine;
    synchronized (this) {
      mine = session;
      if (sending || over || mine == null || queue.isEmpty()) {
        return;
      }
      next = queue.remove();
      sending = true;
    }
    Callback callback = Callback.from(() -> sent(next), failure -> leave());
    if (next instanceof byte[] bytes) {
      mine.sendBinary(ByteBuffer.wrap(bytes), callback);
    } else {
      mine.sendText(String.valueOf(next), callback);
    }
  }

  private void sent(Object message) {
    synchronized (this) {
      sending = false;
      queued -= message instanceof byte[] bytes ? bytes.length : 0;
      notifyAll();
    }
    pump();
  }

  /** A fake has no room for all that nobody reads. */
  synchronized void awaitRoom() {
    try {
      while (queued > MOST_QUEUED && !over) {
        wait(1000);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void leave() {
    Pty mine;
    synchronized (this) {
      over = true;
      queue.clear();
      notifyAll();
      mine = pty;
    }
    if (mine != null) {
      mine.remove(this);
    }
  }

  /** Without a word. */
  void cut() {
    Session mine;
    synchronized (this) {
      mine = session;
    }
    leave();
    if (mine != null) {
      mine.disconnect();
    }
  }

  private @Nullable Pty pty() {
    synchronized (this) {
      return pty;
    }
  }

  @Override
  public void onWebSocketBinary(ByteBuffer payload, Callback callback) {
    byte[] bytes = new byte[payload.remaining()];
    payload.get(bytes);
    callback.succeed();
    container.touch();
    Pty mine = pty();
    if (mine != null && mine.dead()) {
      Session open;
      synchronized (this) {
        open = session;
      }
      if (open != null) {
        open.close(SERVER_ERROR, "Internal error", Callback.NOOP);
      }
    } else if (mine != null) {
      mine.write(bytes);
    }
  }

  @Override
  public void onWebSocketText(String message) {
    container.touch();
    Pty mine = pty();
    JsonNode control;
    try {
      control = Exchange.JSON.readTree(message);
    } catch (JsonProcessingException e) {
      text(error("Invalid control message"));
      return;
    }
    if (mine == null || !control.path("type").asText().equals("resize")) {
      return;
    }
    int newColumns = control.path("cols").asInt();
    int newRows = control.path("rows").asInt();
    if (newColumns <= 0 || newRows <= 0) {
      text(error("Invalid dimensions: cols and rows must be positive"));
    } else if (mine.dead()) {
      text(error("Invalid control message"));
    } else {
      mine.resize(newColumns, newRows);
    }
  }

  @Override
  public void onWebSocketClose(int statusCode, String reason, Callback callback) {
    leave();
    callback.succeed();
  }

  @Override
  public void onWebSocketError(Throwable cause) {
    leave();
  }
}
