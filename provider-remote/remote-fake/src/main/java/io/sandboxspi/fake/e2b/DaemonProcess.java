package io.sandboxspi.fake.e2b;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.fake.Exchange;
import io.sandboxspi.fake.Posix;
import io.sandboxspi.fake.RealProcess;
import java.io.IOException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** A process as the daemon knows it. Thread-safe. */
final class DaemonProcess implements RealProcess.Listener {
  private static final Map<Integer, String> NAMES =
      Map.of(
          1,
          "hangup",
          2,
          "interrupt",
          6,
          "aborted",
          9,
          "killed",
          13,
          "broken pipe",
          15,
          "terminated");

  private final ObjectNode config;
  private final boolean terminal;
  private final boolean input;
  private final Runnable over;
  private final List<Subscriber> subscribers = new CopyOnWriteArrayList<>();
  private final RealProcess process;
  private int code;
  private int signal;
  private boolean exited;
  private boolean closed;
  private boolean signalled;
  private @Nullable ObjectNode ending;

  DaemonProcess(ObjectNode config, RealProcess.Spec spec, Runnable over) throws IOException {
    this.config = config;
    this.terminal = spec.terminal().isPresent();
    this.input = spec.input();
    this.over = over;
    this.process = RealProcess.start(spec, this);
  }

  long pid() {
    return process.pid();
  }

  boolean terminal() {
    return terminal;
  }

  boolean input() {
    return input;
  }

  ObjectNode config() {
    return config;
  }

  void begin() {
    process.begin();
  }

  /** Tells a client that it runs, then what it does; or at once how it ended. */
  void subscribe(Subscriber subscriber) {
    ObjectNode event = Exchange.JSON.createObjectNode();
    event.putObject("event").putObject("start").put("pid", pid());
    subscriber.send(event);
    ObjectNode known;
    synchronized (this) {
      known = ending;
      if (known == null) {
        subscribers.add(subscriber);
      }
    }
    if (known != null) {
      finish(subscriber, known);
    }
  }

  private static void finish(Subscriber subscriber, ObjectNode event) {
    subscriber.send(event);
    subscriber.end(Exchange.JSON.createObjectNode());
  }

  @Override
  public void onOutput(int stream, byte[] bytes) {
    ObjectNode event = Exchange.JSON.createObjectNode();
    String channel = terminal ? "pty" : stream == RealProcess.STDERR ? "stderr" : "stdout";
    event
        .putObject("event")
        .putObject("data")
        .put(channel, Base64.getEncoder().encodeToString(bytes));
    for (Subscriber subscriber : subscribers) {
      subscriber.send(event);
      if (subscriber.gone()) {
        subscribers.remove(subscriber);
      }
    }
  }

  @Override
  public void onExit(int exitCode, int exitSignal) {
    synchronized (this) {
      code = exitCode;
      signal = exitSignal;
      exited = true;
    }
    end();
  }

  @Override
  public void onOutputClosed() {
    synchronized (this) {
      closed = true;
    }
    end();
  }

  /** The daemon waits for the end of the pipes, unless it has sent a signal. */
  private void end() {
    ObjectNode event = Exchange.JSON.createObjectNode();
    synchronized (this) {
      if (!exited || !(closed || signalled) || ending != null) {
        return;
      }
      ObjectNode end = event.putObject("event").putObject("end");
      if (signal != 0) {
        String status = "signal: " + NAMES.getOrDefault(signal, "signal " + signal);
        end.put("exitCode", -1).put("status", status).put("error", status);
      } else if (code != 0) {
        String status = "exit status " + code;
        end.put("exitCode", code).put("exited", true).put("status", status).put("error", status);
      } else {
        end.put("exited", true).put("status", "exit status 0");
      }
      ending = event;
    }
    subscribers.forEach(subscriber -> finish(subscriber, event));
    subscribers.clear();
    process.release();
    over.run();
  }

  synchronized boolean over() {
    return ending != null;
  }

  void write(byte[] bytes) throws IOException {
    process.write(bytes);
  }

  void closeInput() throws IOException {
    process.closeInput();
  }

  void resize(int columns, int rows) {
    process.resize(columns, rows);
  }

  /** The one process only; its children live on. */
  void signal(int number) {
    synchronized (this) {
      signalled = true;
      // Its number may be another process's by now.
      if (!exited) {
        boolean unused = Posix.signal(pid(), number);
      }
    }
    end();
  }

  void cutStreams() {
    subscribers.forEach(Subscriber::cut);
    subscribers.clear();
  }

  /** Ends with the client's deadline: the leader is killed, the stream says why. */
  void expire(Subscriber subscriber) {
    subscribers.remove(subscriber);
    signal(Posix.KILL);
    subscriber.end(Connect.error("deadline_exceeded", "the operation timed out"));
  }
}
