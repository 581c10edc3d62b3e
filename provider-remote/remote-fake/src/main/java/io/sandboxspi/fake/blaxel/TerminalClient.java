package io.sandboxspi.fake.blaxel;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.fake.Exchange;
import io.sandboxspi.fake.Fault;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import org.eclipse.jetty.websocket.api.Callback;
import org.eclipse.jetty.websocket.api.Session;
import org.jspecify.annotations.Nullable;

/**
 * One connection to a terminal. What a slow one does not take is dropped; that the shell has ended
 * it finds when it says something.
 */
public final class TerminalClient implements Session.Listener.AutoDemanding {
  private static final int QUEUE = 64;
  private static final int LONGEST_INPUT = 1 << 20;

  private final Terminals owner;
  private final String id;
  private final String program;
  private final String directory;
  private final int columns;
  private final int rows;
  private final Optional<Fault> fault;
  private final Queue<String> queue = new ArrayDeque<>();
  private volatile @Nullable Shell shell;
  private @Nullable Session session;
  private boolean sending;
  private boolean over;
  private boolean dropNext;
  private int messages;

  TerminalClient(
      Terminals owner,
      String id,
      String program,
      String directory,
      int columns,
      int rows,
      Optional<Fault> fault) {
    this.owner = owner;
    this.id = id;
    this.program = program;
    this.directory = directory;
    this.columns = columns;
    this.rows = rows;
    this.fault = fault;
  }

  @Override
  public void onWebSocketOpen(Session opened) {
    opened.setMaxTextMessageSize(LONGEST_INPUT);
    synchronized (this) {
      session = opened;
    }
    Terminals.Found found = owner.find(id, program, directory, columns, rows);
    Shell mine = found.shell();
    shell = mine;
    if (!mine.failure().isEmpty()) {
      ObjectNode error = BlaxelFake.object().put("type", "error").put("data", mine.failure());
      opened.sendText(
          error.toString(), Callback.from(opened::disconnect, failure -> opened.disconnect()));
      return;
    }
    mine.attach(this, found.known(), columns, rows);
  }

  void output(String text) {
    String message = BlaxelFake.object().put("type", "output").put("data", text).toString();
    synchronized (this) {
      if (over || session == null) {
        return;
      }
      messages++;
      Fault mine = fault.orElse(null);
      if (mine instanceof Fault.SilentStream silent && messages > silent.messages()) {
        return;
      }
      if (dropNext) {
        dropNext = false;
        return;
      }
      if (queue.size() >= QUEUE
          || (mine instanceof Fault.DropMessage drop && messages == drop.message())) {
        return;
      }
      if (mine instanceof Fault.SpoilStream spoil && messages == spoil.messages() + 1) {
        queue.add(new String(spoil.bytes(), StandardCharsets.UTF_8));
      }
      queue.add(message);
      if (mine instanceof Fault.DuplicateStream && messages > 1) {
        queue.add(message);
      }
      if (mine instanceof Fault.CutStream cut && messages > cut.messages()) {
        cut();
        return;
      }
    }
    pump();
  }

  /** Sends a message as it is. */
  void say(String message) {
    synchronized (this) {
      queue.add(message);
    }
    pump();
  }

  /** The next output does not come. */
  synchronized void dropNext() {
    dropNext = true;
  }

  private void pump() {
    String next;
    Session mine;
    synchronized (this) {
      mine = session;
      if (sending || over || mine == null || queue.isEmpty()) {
        return;
      }
      next = queue.remove();
      sending = true;
    }
    mine.sendText(next, Callback.from(this::sent, failure -> leave()));
  }

  private void sent() {
    synchronized (this) {
      sending = false;
    }
    pump();
  }

  private void leave() {
    Shell mine = shell;
    if (mine != null) {
      mine.detach(this);
    }
    owner.forget(this);
  }

  /** Without a word. */
  void cut() {
    Session mine;
    synchronized (this) {
      over = true;
      mine = session;
    }
    if (mine != null) {
      mine.disconnect();
    }
    leave();
  }

  @Override
  public void onWebSocketBinary(ByteBuffer payload, Callback callback) {
    String text = StandardCharsets.UTF_8.decode(payload).toString();
    callback.succeed();
    onWebSocketText(text);
  }

  /** The next message is read when this one is written. */
  @Override
  public void onWebSocketText(String message) {
    Shell mine = shell;
    if (mine == null || mine.ended()) {
      cut();
      return;
    }
    ObjectNode frame;
    try {
      frame =
          Exchange.JSON.readTree(message) instanceof ObjectNode object
              ? object
              : BlaxelFake.object();
    } catch (IOException notJson) {
      return;
    }
    switch (frame.path("type").asText()) {
      case "input" -> {
        boolean alive = mine.write(frame.path("data").asText("").getBytes(StandardCharsets.UTF_8));
        if (!alive) {
          cut();
        }
      }
      case "resize" -> {
        int newColumns = frame.path("cols").asInt();
        int newRows = frame.path("rows").asInt();
        if (newColumns > 0 && newRows > 0) {
          mine.resize(newColumns, newRows);
        }
      }
      default -> {
        // Not known: ignored.
      }
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
