package io.sandboxspi.remote.blaxel;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.Registration;
import io.sandboxspi.TerminalSize;
import io.sandboxspi.core.time.Callback;
import io.sandboxspi.core.time.EngineClock;
import io.sandboxspi.core.time.Lane;
import io.sandboxspi.remote.transport.Json;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.remote.transport.WebSocketEnd;
import io.sandboxspi.remote.transport.WebSocketLink;
import io.sandboxspi.remote.transport.WebSocketListener;
import io.sandboxspi.spi.Deadline;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One of the vendor's terminals. It never says that its shell has ended: its socket stays open and
 * silent until something is sent, so something is sent all the time. A socket that breaks is opened
 * again while the shell lives; the vendor then replays its last output. Thread-safe.
 */
final class Terminal implements WebSocketListener {
  private static final Logger LOG = LoggerFactory.getLogger(Terminal.class);
  private static final Duration BEAT = Duration.ofSeconds(2);
  private static final Duration BEAT_LIMIT = Duration.ofSeconds(1);
  private static final Duration FAREWELL = Duration.ofSeconds(5);

  /** In a row: some agents cut every connection after ten minutes. */
  private static final int REOPENINGS = 4;

  /** A connection that lasts as long is a good one. */
  private static final Duration LASTING = Duration.ofSeconds(30);

  /** Begins every replay. */
  private static final String RESET = "\u001b[0m";

  static final String NOTHING = "{\"type\":\"noop\"}";

  private final SandboxApi api;
  private final String id;
  private final Lane lane;
  private final Listener listener;
  private final AtomicBoolean beating = new AtomicBoolean();
  private volatile TerminalSize size;
  private volatile CompletableFuture<WebSocketLink> link = new CompletableFuture<>();
  private volatile Optional<SandboxApi.Shell> shell = Optional.empty();
  private volatile Registration nextBeat = () -> {};
  private volatile boolean closed;

  private volatile boolean established;
  private final AtomicBoolean asked = new AtomicBoolean();
  private volatile boolean replays;
  private final AtomicInteger reopened = new AtomicInteger();
  private final Duration lasting;
  private volatile long connected;

  /** Told what comes: one call at a time; the methods do not block. */
  interface Listener {
    /** Output. */
    void output(String text);

    /** The last of the output, after a break; some of it came before. */
    void replay(String text);

    /** What is to be said now and then; a message that the vendor ignores is as good. */
    default String beat() {
      return NOTHING;
    }

    /** Nothing more comes. */
    void lost(RemoteException failure);
  }

  Terminal(SandboxApi api, String id, TerminalSize size, Lane lane, Listener listener) {
    this(api, id, size, lane, listener, LASTING);
  }

  /**
   * For one terminal.
   *
   * @param lasting how long a connection must have been open to count as a good one
   */
  Terminal(
      SandboxApi api,
      String id,
      TerminalSize size,
      Lane lane,
      Listener listener,
      Duration lasting) {
    this.api = api;
    this.id = id;
    this.size = size;
    this.lane = lane;
    this.listener = listener;
    this.lasting = lasting;
  }

  void open(Deadline deadline) throws InterruptedException {
    connected = System.nanoTime();
    boolean unused = link.complete(api.connect(id, size, this, deadline));
    armBeat();
  }

  /** What was typed has come: from now on a socket that breaks is opened again. */
  void established() {
    established = true;
  }

  /** From now on it can be ended. */
  void shell(SandboxApi.Shell value) {
    shell = Optional.of(value);
  }

  Optional<SandboxApi.Shell> shell() {
    return shell;
  }

  // What comes

  @Override
  public boolean onText(String message) {
    ObjectNode frame = Json.parse(message.getBytes(StandardCharsets.UTF_8)).orElse(null);
    if (frame == null) {
      // Nobody knows what it should have said.
      again();
      return true;
    }
    String type = field(frame, "type", "Type").toLowerCase(Locale.ROOT);
    String data = field(frame, "data", "Data");
    if (type.equals("output")) {
      take(data);
    } else if (type.equals("error")) {
      end(new RemoteException(Kind.BROKEN, "the terminal does not work: " + data));
    }
    return true;
  }

  private static String field(ObjectNode frame, String name, String other) {
    return frame.path(frame.has(name) ? name : other).asText("");
  }

  private void take(String data) {
    if (!replays) {
      listener.output(data);
      return;
    }
    replays = false;
    if (data.startsWith(RESET)) {
      listener.replay(data.substring(RESET.length()));
      return;
    }
    // A new shell in place of the one that has ended just now.
    WebSocketLink mine = open();
    if (mine != null) {
      lane.execute(() -> dismiss(mine));
    }
    end(new RemoteException(Kind.BROKEN, "the terminal's shell has ended"));
  }

  private void dismiss(WebSocketLink stranger) {
    try {
      stranger.sendText(input("exit\n"), Deadline.after(FAREWELL));
      stranger.sayGoodbye();
    } catch (RemoteException e) {
      LOG.debug("a shell that nobody needs is left to the vendor", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public boolean onBinary(ByteBuffer message) {
    return onText(StandardCharsets.UTF_8.decode(message).toString());
  }

  @Override
  public void onEnd(WebSocketEnd end) {
    RemoteException failure =
        end instanceof WebSocketEnd.Failed failed
            ? failed.failure()
            : new RemoteException(Kind.BROKEN, "the terminal's connection has ended: " + end);
    if (closed) {
      return;
    }
    if (System.nanoTime() - connected >= lasting.toNanos()) {
      reopened.set(0);
    }
    SandboxApi.Shell mine = shell.orElse(null);
    if (mine != null && established && reopened.incrementAndGet() <= REOPENINGS) {
      link = new CompletableFuture<>();
      lane.execute(() -> reopen(mine, failure));
    } else {
      end(failure);
    }
  }

  private void reopen(SandboxApi.Shell mine, RemoteException failure) {
    CompletableFuture<WebSocketLink> next = link;
    RemoteException why = failure;
    try {
      Deadline deadline = Deadline.after(FAREWELL);
      if (api.alive(mine, deadline)) {
        replays = true;
        asked.set(false);
        connected = System.nanoTime();
        WebSocketLink opened = api.connect(id, size, this, deadline);
        boolean unused = next.complete(opened);
        if (closed) {
          opened.close();
        }
        return;
      }
      why = new RemoteException(Kind.BROKEN, "the terminal's shell has ended", failure);
    } catch (RemoteException e) {
      LOG.debug("a terminal cannot be reached again", e);
      why = e;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    boolean unused = next.completeExceptionally(why);
    end(why);
  }

  private void end(RemoteException failure) {
    if (!closed) {
      close();
      listener.lost(failure);
    }
  }

  /** Asks for a replay: a part of the output is missing. */
  void again() {
    WebSocketLink mine = open();
    if (mine != null && !closed && asked.compareAndSet(false, true)) {
      lane.execute(
          () -> {
            mine.close();
            onEnd(
                new WebSocketEnd.Failed(
                    new RemoteException(
                        Kind.BROKEN, "the vendor dropped or spoilt a part of the output")));
          });
    }
  }

  // What is asked for

  static String input(String data) {
    return Json.object().put("type", "input").put("data", data).toString();
  }

  /** Sends input in one piece, now or when the socket is open again. */
  void send(String data, Deadline deadline) throws InterruptedException {
    sendMessage(input(data), deadline);
  }

  void resize(TerminalSize value, Deadline deadline) throws InterruptedException {
    size = value;
    sendMessage(
        Json.object()
            .put("type", "resize")
            .put("cols", value.columns())
            .put("rows", value.rows())
            .toString(),
        deadline);
  }

  private void sendMessage(String message, Deadline deadline) throws InterruptedException {
    link(deadline).sendText(message, deadline);
  }

  private WebSocketLink link(Deadline deadline) throws InterruptedException {
    try {
      return link.get(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new RemoteException(Kind.TIMEOUT, "the terminal is not connected", e);
    } catch (ExecutionException e) {
      throw new RemoteException(Kind.BROKEN, "the terminal is lost", e);
    }
  }

  private @Nullable WebSocketLink open() {
    CompletableFuture<WebSocketLink> now = link;
    return now.isDone() && !now.isCompletedExceptionally() ? now.join() : null;
  }

  /** Completes when what was sent before was written to the terminal. */
  CompletableFuture<Boolean> taken(Deadline deadline) throws InterruptedException {
    return link(deadline).taken();
  }

  private void armBeat() {
    if (!closed) {
      nextBeat = EngineClock.system().schedule(BEAT, this::beat);
    }
  }

  private void beat() {
    WebSocketLink mine = open();
    if (mine != null && !closed && beating.compareAndSet(false, true)) {
      lane.execute(
          () -> {
            try {
              mine.sendText(listener.beat(), Deadline.after(BEAT_LIMIT));
            } catch (RemoteException e) {
              LOG.debug("no heartbeat", e);
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            } finally {
              beating.set(false);
            }
          });
    }
    armBeat();
  }

  /** Says a last word, and lets go. */
  void leave(String lastWord) {
    closed = true;
    nextBeat.close();
    WebSocketLink mine = open();
    if (mine != null) {
      lane.execute(
          () -> {
            try {
              mine.sendText(input(lastWord), Deadline.after(FAREWELL));
              mine.sayGoodbye();
            } catch (RemoteException e) {
              LOG.debug("a terminal ends by itself", e);
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          });
    }
  }

  /** Cuts the connection; the shell runs on. Idempotent. */
  void close() {
    closed = true;
    nextBeat.close();
    Callback.when(
        link,
        (mine, failure) -> {
          if (mine != null) {
            mine.close();
          }
        });
  }

  /** Ends the shell and cuts the connection; does nothing once it has ended. */
  void kill(Deadline deadline) throws InterruptedException {
    Optional<SandboxApi.Shell> mine = shell;
    WebSocketLink open = open();
    if (mine.isPresent()) {
      api.kill(mine.get(), deadline);
    } else if (open != null) {
      // It waits at its prompt, or for what is to be run.
      open.sendText(input("\nexit\n"), deadline);
      open.sayGoodbye();
      closed = true;
      nextBeat.close();
      return;
    }
    close();
  }

  @Override
  public String toString() {
    return "Terminal[" + id + "]";
  }
}
