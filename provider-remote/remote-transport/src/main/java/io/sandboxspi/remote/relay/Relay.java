package io.sandboxspi.remote.relay;

import io.sandboxspi.TerminalSize;
import io.sandboxspi.core.posix.MarkScanner;
import io.sandboxspi.core.time.Callback;
import io.sandboxspi.core.time.Lane;
import io.sandboxspi.remote.shell.Output;
import io.sandboxspi.remote.shell.Running;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.remote.transport.Serial;
import io.sandboxspi.remote.transport.WebSocketLink;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.InputClosedException;
import io.sandboxspi.spi.OutputChannel;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A process behind one of the vendor's terminals: what its shell, its echo and its prompt say is
 * taken out, and its end is told when all of its output is here. The vendor drops whom it has to
 * wait for, so everything is taken at once and held. Fields without a word are of {@link #serial}.
 */
final class Relay implements Running, VendorTerminal.Listener, MarkScanner.Sink {
  private static final Logger LOG = LoggerFactory.getLogger(Relay.class);
  private static final Duration FAREWELL = Duration.ofSeconds(5);
  private static final Duration REOPENING = Duration.ofSeconds(15);
  private static final Duration TIDY = Duration.ofSeconds(10);

  /** Begins the marks of a relay; those of the launcher pass between them. */
  private static final byte GS = 29;

  private static final int WORDS_LIMIT = 1024;

  private static final int REOPENINGS = 4;
  private static final byte[] GAP =
      "\r\n[the connection broke; output may be missing]\r\n".getBytes(StandardCharsets.US_ASCII);

  private static final long MOST = 64L << 20;

  /** In order, with nothing said of the process. */
  private static final Output.End UNKNOWN = new Output.End(Optional.empty(), Optional.empty());

  private final VendorTerminal vendor;
  private final String id;
  private final String word;
  private final boolean terminal;
  private final boolean mayReopen;
  private final Output output;
  private final Lane lane;
  private final Flow flow;

  private final Serial serial = new Serial();
  private final MarkScanner scanner;
  private final StringBuilder words = new StringBuilder();
  private final Queue<Held> held = new ArrayDeque<>();
  private OutputChannel channel = OutputChannel.STDOUT;
  private final Queue<String> owed = new ArrayDeque<>();
  private long heldBytes;
  private boolean full;
  private Output.@Nullable End ending;
  private boolean told;
  private volatile boolean goodbye;

  /** Something came of the program: first of all that it runs. */
  private boolean spoken;

  private final Room room;
  private final RelayInput input;
  private final CompletableFuture<Boolean> ready = new CompletableFuture<>();
  private volatile CompletableFuture<WebSocketLink> link = new CompletableFuture<>();
  private volatile boolean over;
  private volatile boolean closed;
  private int reopened;
  private volatile boolean exited;
  private final AtomicBoolean forgotten = new AtomicBoolean();
  private final AtomicBoolean ended = new AtomicBoolean();

  private record Held(OutputChannel channel, ByteBuffer bytes) {}

  /** Tells a relay that a part of its output was taken. */
  @FunctionalInterface
  interface Flow {
    /** Writes a line to one of the relay's pipes, soon; tells the relay if that cannot be. */
    void acknowledge(Relay relay, String pipe);
  }

  /**
   * For one terminal.
   *
   * @param terminal whether it is the program's own
   * @param plain whether input goes there as it is; otherwise in pieces; without a terminal, of a
   *     kept shell
   */
  Relay(
      VendorTerminal vendor,
      String id,
      String word,
      boolean terminal,
      boolean plain,
      Output output,
      Lane lane,
      Flow flow,
      Room room) {
    this.vendor = vendor;
    this.id = id;
    this.word = word;
    this.terminal = terminal;
    // What was asked of a kept shell may be lost on its way, and nobody would know.
    this.mayReopen = terminal || (vendor.replays() && !plain);
    this.output = output;
    this.lane = lane;
    this.flow = flow;
    this.scanner = new MarkScanner(GS, word);
    this.room = room;
    this.input = new RelayInput(() -> link, () -> over, plain, room);
  }

  /** Connects, types the line, and waits until the program's streams are clean. */
  void open(String line, Deadline deadline) throws InterruptedException {
    WebSocketLink opened = vendor.connect(this, deadline);
    link.complete(opened);
    opened.sendBinary(ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8)), deadline);
    try {
      boolean unused = ready.get(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new RemoteException(
          Kind.TIMEOUT, "the sandbox's shell did not become ready in time", e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RemoteException failure
          ? new RemoteException(failure.kind(), String.valueOf(failure.getMessage()), failure)
          : new RemoteException(Kind.BROKEN, "the sandbox's shell is lost", e);
    }
  }

  /** It did not come to be: nothing of it may stay. */
  void abandon() {
    over = true;
    cut();
    end();
  }

  private void end() {
    if (!ended.getAndSet(true)) {
      lane.execute(
          () -> {
            try {
              end(Deadline.after(TIDY));
            } catch (RemoteException e) {
              LOG.debug("a terminal was not ended", e);
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          });
    }
  }

  // What comes

  @Override
  public void onBytes(ByteBuffer bytes) {
    ByteBuffer copy = ByteBuffer.allocate(bytes.remaining()).put(bytes).flip();
    serial.execute(
        () -> {
          // Breaks count in a row only: a terminal may live for days.
          reopened = 0;
          scanner.feed(copy, this);
        });
  }

  @Override
  public void onGap() {
    serial.execute(
        () -> {
          scanner.finish(this);
          if (terminal) {
            deliver(ByteBuffer.wrap(GAP));
          } else {
            fail(new RemoteException(Kind.BROKEN, "the connection broke and output is missing"));
          }
        });
  }

  @Override
  public void onEnd(Output.End end) {
    finish(end);
  }

  @Override
  public void data(ByteBuffer bytes) {
    if (!ready.isDone()) {
      keepWords(bytes);
    } else if (ending == null && bytes.hasRemaining()) {
      spoken = true;
      deliver(bytes);
    }
  }

  private void keepWords(ByteBuffer bytes) {
    String text = StandardCharsets.UTF_8.decode(bytes.duplicate()).toString();
    words.append(text.replaceAll("\\p{Cntrl}+", " "));
    if (words.length() > WORDS_LIMIT) {
      words.delete(0, words.length() - WORDS_LIMIT);
    }
  }

  @Override
  public void mark(String text) {
    if (text.startsWith("READY")) {
      room.name(text.substring("READY".length()).strip());
      boolean unused = ready.complete(true);
    } else if (text.startsWith("FAILED")) {
      fail(
          new RemoteException(
              Kind.BROKEN, "the sandbox cannot run a program: " + text.substring(7) + " failed"));
    } else {
      switch (text) {
        case "E" -> channel = OutputChannel.STDERR;
        case "O" -> channel = OutputChannel.STDOUT;
        case "o", "e" -> owe(text);
        case "I" -> room.taken();
        case "END" -> {
          goodbye = true;
          close(UNKNOWN);
        }
        default -> {
          // A mark of a later relay.
        }
      }
    }
  }

  private void deliver(ByteBuffer bytes) {
    if (full || !held.isEmpty()) {
      held.add(
          new Held(channel, ByteBuffer.allocate(bytes.remaining()).put(bytes.duplicate()).flip()));
      heldBytes += bytes.remaining();
      if (heldBytes > MOST) {
        held.clear();
        fail(new RemoteException(Kind.TOO_LARGE, "the terminal's output is not read"));
      }
    } else {
      full = !output.onOutput(channel, bytes);
    }
  }

  /** More may come when this is taken. */
  private void owe(String pipe) {
    if (held.isEmpty()) {
      flow.acknowledge(this, pipe);
    } else {
      owed.add(pipe);
    }
  }

  private void flush() {
    while (!held.isEmpty() && !full) {
      Held next = held.remove();
      heldBytes -= next.bytes().remaining();
      full = !output.onOutput(next.channel(), next.bytes());
    }
    while (held.isEmpty() && !owed.isEmpty()) {
      flow.acknowledge(this, owed.remove());
    }
    if (ending != null && held.isEmpty() && !told) {
      told = true;
      output.onEnd(ending);
    }
  }

  private void finish(Output.End end) {
    serial.execute(
        () -> {
          boolean again =
              mayReopen
                  && end.broken().isPresent()
                  && ending == null
                  && !closed
                  && reopened < REOPENINGS
                  && (spoken || vendor.replays())
                  // What a program with pipes was sent, and has not told of, may be lost.
                  && room.settled()
                  && ready.isDone()
                  && !ready.isCompletedExceptionally();
          if (again) {
            reopened++;
            link = new CompletableFuture<>();
            lane.execute(() -> reopen(end));
          } else {
            scanner.finish(this);
            close(end);
          }
        });
  }

  private void reopen(Output.End end) {
    CompletableFuture<WebSocketLink> next = link;
    try {
      Deadline deadline = Deadline.after(REOPENING);
      if (vendor.lives(deadline)) {
        WebSocketLink opened = vendor.connect(this, deadline);
        boolean unused = next.complete(opened);
        if (closed) {
          opened.close();
        }
        return;
      }
    } catch (RemoteException e) {
      LOG.debug("a terminal cannot be reached again", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    boolean unused =
        next.completeExceptionally(new RemoteException(Kind.BROKEN, "the terminal is lost"));
    serial.execute(() -> close(end));
  }

  /** More would come, and cannot be asked for. */
  void heldUp(RemoteException failure) {
    serial.execute(
        () -> {
          if (ending == null) {
            fail(failure);
          }
        });
  }

  boolean over() {
    return over;
  }

  private void fail(RemoteException failure) {
    close(Output.End.broken(failure));
    cut();
    end();
  }

  private void close(Output.End end) {
    over = true;
    room.close();
    if (ending == null) {
      ending = end;
      String said = words.toString().strip();
      boolean unused =
          ready.completeExceptionally(
              end.broken()
                  .orElseGet(
                      () ->
                          new RemoteException(
                              Kind.BROKEN,
                              "the sandbox's shell ended before it was ready: " + said)));
      flush();
      if (!goodbye) {
        disconnect();
      }
      // What runs behind pipes may wait for a word from here, also when its program has ended.
      forget(end.broken().isPresent() && !terminal);
    }
  }

  /**
   * Nobody needs it any more.
   *
   * @param lives whether its shell may not end by itself
   */
  private void forget(boolean lives) {
    if (forgotten.getAndSet(true)) {
      return;
    }
    vendor.forget();
    if (goodbye) {
      lane.execute(this::sayGoodbye);
    } else if (lives || vendor.stays()) {
      end();
    }
  }

  /** All of its output is here: it need not wait any more. */
  private void sayGoodbye() {
    try {
      WebSocketLink mine = link.getNow(null);
      if (mine != null) {
        mine.sendBinary(
            ByteBuffer.wrap(('\n' + word + '\n').getBytes(StandardCharsets.US_ASCII)),
            Deadline.after(FAREWELL));
        mine.sayGoodbye();
      }
    } catch (RemoteException e) {
      LOG.debug("a terminal ends by itself", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (vendor.stays()) {
      end();
    }
  }

  // What is asked for

  @Override
  public void write(ByteBuffer bytes, Deadline deadline)
      throws InterruptedException, InputClosedException {
    input.write(bytes, deadline);
  }

  @Override
  public void closeInput(Deadline deadline) throws InterruptedException {
    input.close(deadline);
  }

  @Override
  public void resize(TerminalSize size, Deadline deadline) throws InterruptedException {
    if (!over) {
      vendor.resize(size, deadline);
    }
  }

  @Override
  public void end(Deadline deadline) throws InterruptedException {
    vendor.end(deadline);
  }

  @Override
  public void resume() {
    serial.execute(
        () -> {
          full = false;
          flush();
        });
  }

  @Override
  public void close() {
    // At its end it says goodbye by itself.
    if (!over) {
      cut();
    }
  }

  @Override
  public void exited() {
    exited = true;
    if (closed) {
      forget(!terminal);
    } else {
      vendor.ended();
    }
  }

  private void cut() {
    closed = true;
    room.close();
    if (exited) {
      forget(!terminal);
    }
    disconnect();
  }

  private void disconnect() {
    Callback.when(
        link,
        (mine, failure) -> {
          if (mine != null) {
            mine.close();
          }
        });
  }

  @Override
  public String toString() {
    return "Relay[" + id + "]";
  }
}
