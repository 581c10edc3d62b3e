package io.sandboxspi.fake.cloudflare;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.fake.Exchange;
import io.sandboxspi.fake.Fault;
import io.sandboxspi.fake.Posix;
import io.sandboxspi.fake.RealProcess;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/** One command, told as events. It runs on when nobody listens any more. */
final class ExecCall implements RealProcess.Listener {
  private static final int TERM = 15;
  private static final long GRACE = 5;
  private static final int TIMED_OUT = 124;
  private static final int SIGNALLED = 128;

  private final Exchange exchange;
  private final Container container;
  private final Optional<BridgeSession> session;
  private final List<Decoder> decoders = List.of(new Decoder(), new Decoder());
  private final byte[] last = new byte[2];
  private @Nullable RealProcess process;
  private @Nullable ScheduledFuture<?> silence;
  private boolean late;
  private boolean killed;
  private boolean over;
  private int exitCode = -1;
  private boolean outputClosed;
  private boolean finished;
  private int messages;
  private String lateNote = "";
  private final Queue<byte[]> queue = new ArrayDeque<>();
  private boolean sending;
  private boolean ended;

  /** As the server reads output: as text, whatever it is. */
  private static final class Decoder {
    private final CharsetDecoder decoder =
        StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPLACE)
            .onUnmappableCharacter(CodingErrorAction.REPLACE);
    private byte[] rest = new byte[0];

    String decode(byte[] bytes, boolean end) {
      ByteBuffer in = ByteBuffer.allocate(rest.length + bytes.length).put(rest).put(bytes).flip();
      CharBuffer out = CharBuffer.allocate(in.remaining() + 2);
      var unused = decoder.decode(in, out, end);
      if (end) {
        unused = decoder.flush(out);
      }
      rest = new byte[in.remaining()];
      in.get(rest);
      return out.flip().toString();
    }
  }

  ExecCall(Exchange exchange, Container container, Optional<BridgeSession> session) {
    this.exchange = exchange;
    this.container = container;
    this.session = session;
  }

  /** Answers at once, before the command starts. */
  void start(List<String> argv, String directory, long timeout) {
    exchange.begin(200, "text/event-stream");
    synchronized (this) {
      write(new byte[0]);
    }
    if (session.isPresent() && argv.get(0).equals("exit")) {
      // It takes the session's shell with it, and nobody is there to say so.
      return;
    }
    session.ifPresent(mine -> mine.add(this));
    List<String> command = new ArrayList<>(List.of("setsid", "/bin/bash", "-c", "\"$@\"", "bash"));
    command.addAll(argv);
    try {
      RealProcess started =
          RealProcess.start(
              new RealProcess.Spec(
                  command,
                  container.environment(session.map(BridgeSession::environment).orElse(Map.of())),
                  directory,
                  Optional.empty(),
                  false),
              this);
      boolean removed;
      synchronized (this) {
        process = started;
        removed = killed;
      }
      listen();
      if (timeout > 0 && session.isEmpty()) {
        var unused =
            container.timer().schedule(() -> expire(started), timeout, TimeUnit.MILLISECONDS);
        lateNote = "Command timed out after " + timeout + "ms\n";
      }
      started.begin();
      if (removed) {
        killed();
      }
    } catch (IOException e) {
      fail("exec_error", "failed to start: " + directory);
    }
  }

  private void expire(RealProcess started) {
    synchronized (this) {
      if (over) {
        return;
      }
      late = true;
    }
    boolean unused = Posix.signal(-started.pid(), TERM);
    var unusedToo = container.timer().schedule(() -> kill(started), GRACE, TimeUnit.SECONDS);
  }

  private synchronized void kill(RealProcess started) {
    // Its number may be another's once it has ended; it leads no group before it is on its way.
    if (exitCode < 0 && !Posix.signal(-started.pid(), Posix.KILL)) {
      boolean unused = Posix.signal(started.pid(), Posix.KILL);
    }
  }

  /** A stream that is silent for too long is given up, whatever runs. */
  private synchronized void listen() {
    if (silence != null) {
      silence.cancel(false);
    }
    silence =
        container
            .timer()
            .schedule(
                () -> fail("exec_transport_error", "stream idle timeout"),
                container.silence().toNanos(),
                TimeUnit.NANOSECONDS);
  }

  /** Its session is removed: the tree ends, and a success is made up. */
  void killed() {
    RealProcess mine;
    synchronized (this) {
      // It may be starting.
      killed = true;
      mine = process;
    }
    if (mine != null) {
      end(CloudflareFake.object().put("exit_code", 0), "exit");
      kill(mine);
    }
  }

  @Override
  public void onOutput(int stream, byte[] bytes) {
    container.touch();
    listen();
    int index = stream == RealProcess.STDOUT ? 0 : 1;
    if (bytes.length > 0) {
      last[index] = bytes[bytes.length - 1];
    }
    text(index, decoders.get(index).decode(bytes, false));
  }

  private void text(int index, String text) {
    if (!text.isEmpty()) {
      String data = Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
      event(index == 0 ? "stdout" : "stderr", data);
    }
  }

  private void event(String name, String data) {
    byte[] bytes = ("event: " + name + "\ndata: " + data + "\n\n").getBytes(StandardCharsets.UTF_8);
    synchronized (this) {
      if (over) {
        return;
      }
      messages++;
      Fault fault = exchange.fault().orElse(null);
      if (fault instanceof Fault.CutStream cut && messages > cut.messages()) {
        over = true;
        exchange.cut();
        return;
      }
      if (fault instanceof Fault.SilentStream silent && messages > silent.messages()) {
        return;
      }
      if (fault instanceof Fault.SpoilStream spoil && messages > spoil.messages()) {
        over = true;
        ended = true;
        write(spoil.bytes());
        return;
      }
      write(bytes);
      if (fault instanceof Fault.DuplicateStream && messages > 1) {
        write(bytes);
      }
    }
  }

  private void write(byte[] bytes) {
    queue.add(bytes);
    pump();
  }

  private synchronized void pump() {
    if (sending) {
      return;
    }
    if (queue.isEmpty()) {
      if (ended) {
        ended = false;
        exchange.end();
      }
      return;
    }
    sending = true;
    exchange.write(queue.remove(), Callback.from(this::sent, failure -> gone()));
  }

  private synchronized void sent() {
    sending = false;
    pump();
  }

  private synchronized void gone() {
    // The command runs on.
    over = true;
    queue.clear();
  }

  private void end(ObjectNode data, String name) {
    synchronized (this) {
      event(name, data.toString());
      if (!over) {
        over = true;
        ended = !(exchange.fault().orElse(null) instanceof Fault.SilentStream);
        pump();
      }
      if (silence != null) {
        silence.cancel(false);
      }
    }
    session.ifPresent(mine -> mine.remove(this));
  }

  private void fail(String code, String message) {
    end(CloudflareFake.object().put("error", message).put("code", code), "error");
  }

  @Override
  public void onExit(int code, int signal) {
    synchronized (this) {
      exitCode = signal > 0 ? SIGNALLED + signal : code;
    }
    finish();
  }

  @Override
  public void onOutputClosed() {
    synchronized (this) {
      outputClosed = true;
    }
    finish();
  }

  private void finish() {
    int code;
    boolean wasLate;
    synchronized (this) {
      if (exitCode < 0 || !outputClosed || finished) {
        return;
      }
      finished = true;
      code = exitCode;
      wasLate = late;
    }
    for (int i = 0; i < 2; i++) {
      text(i, decoders.get(i).decode(new byte[0], true));
      if (session.isPresent() && last[i] != 0 && last[i] != '\n') {
        text(i, "\n");
      }
    }
    if (wasLate) {
      text(1, lateNote);
    }
    end(CloudflareFake.object().put("exit_code", wasLate ? TIMED_OUT : code), "exit");
  }
}
