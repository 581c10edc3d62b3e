package io.sandboxspi.fake.daytona;

import io.sandboxspi.fake.FakeThreads;
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

/** One connection to a terminal. */
public final class PtyClient implements Session.Listener.AutoDemanding {
  private static final int LONGEST_INPUT = 64 * 1024;
  private static final int QUEUE = 256;
  private static final int SERVER_ERROR = 1011;

  private final String id;
  private final Optional<Pty> pty;
  private final boolean exitControl;
  private final Optional<Fault> fault;
  private final Queue<byte[]> queue = new ArrayDeque<>();
  private @Nullable Session session;
  private boolean sending;
  private boolean over;
  private int messages;

  PtyClient(String id, Optional<Pty> pty, boolean exitControl, Optional<Fault> fault) {
    this.id = id;
    this.pty = pty;
    this.exitControl = exitControl;
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
      // Output may come before the word that all is well.
      if (pty.isPresent() && pty.get().attach(this)) {
        opened.sendText("{\"type\":\"control\",\"status\":\"connected\"}", Callback.NOOP);
        return;
      }
    } catch (IOException e) {
      opened.close(SERVER_ERROR, "the shell does not start", Callback.NOOP);
      return;
    }
    opened.sendText(
        "{\"type\":\"control\",\"status\":\"error\",\"error\":"
            + "\"Failed to connect to PTY session: PTY session "
            + id
            + " not found\"}",
        Callback.from(opened::disconnect, failure -> opened.disconnect()));
  }

  void output(byte[] bytes) {
    synchronized (this) {
      if (over || session == null) {
        return;
      }
      messages++;
      if (fault.orElse(null) instanceof Fault.SilentStream silent && messages > silent.messages()) {
        return;
      }
      queue.add(bytes);
      if (fault.orElse(null) instanceof Fault.SpoilStream spoil && messages == spoil.messages()) {
        queue.add(spoil.bytes());
      }
      if (fault.orElse(null) instanceof Fault.DuplicateStream && messages > 1) {
        queue.add(bytes);
      }
      if (queue.size() > QUEUE) {
        over = true;
        session.close(1008, "slow consumer", Callback.NOOP);
        leave();
        return;
      }
      if (fault.orElse(null) instanceof Fault.CutStream cut && messages > cut.messages()) {
        over = true;
        session.disconnect();
        leave();
        return;
      }
    }
    pump();
  }

  private void leave() {
    pty.ifPresent(mine -> mine.detach(this));
  }

  private void pump() {
    byte[] next;
    Session mine;
    synchronized (this) {
      mine = session;
      if (sending || over || mine == null || queue.isEmpty()) {
        return;
      }
      next = queue.remove();
      sending = true;
    }
    mine.sendBinary(ByteBuffer.wrap(next), Callback.from(this::sent, failure -> leave()));
  }

  private void sent() {
    synchronized (this) {
      sending = false;
    }
    pump();
  }

  /** At once: what is queued is lost. */
  void exited(int code) {
    Session mine;
    synchronized (this) {
      if (over || session == null) {
        return;
      }
      over = true;
      queue.clear();
      mine = session;
    }
    String reason =
        switch (code) {
          case 0 -> "";
          case 130 -> "Ctrl+C";
          case 137 -> "SIGKILL";
          case 143 -> "SIGTERM";
          default -> code > 128 ? "signal " + (code - 128) : "non-zero exit";
        };
    String facts =
        "\"exitCode\":" + code + (reason.isEmpty() ? "" : ",\"exitReason\":\"" + reason + "\"");
    int status = code == 0 ? 1000 : SERVER_ERROR;
    // A frame that is being sent comes before this one.
    FakeThreads.start(
        "close",
        () -> {
          if (exitControl) {
            mine.sendText(
                "{\"type\":\"control\",\"status\":\"exited\"," + facts + "}", Callback.NOOP);
          }
          mine.close(status, "{" + facts + "}", Callback.NOOP);
        });
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
  }

  @Override
  public void onWebSocketBinary(ByteBuffer payload, Callback callback) {
    byte[] bytes = new byte[payload.remaining()];
    payload.get(bytes);
    input(bytes, callback);
  }

  @Override
  public void onWebSocketText(String message) {
    input(message.getBytes(StandardCharsets.UTF_8), Callback.NOOP);
  }

  /** The next message is read when this one is written. */
  private void input(byte[] bytes, Callback callback) {
    if (pty.isPresent() && pty.get().write(bytes)) {
      callback.succeed();
    } else {
      callback.succeed();
      synchronized (this) {
        if (!over && session != null) {
          session.close(SERVER_ERROR, "PTY session unavailable", Callback.NOOP);
        }
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
