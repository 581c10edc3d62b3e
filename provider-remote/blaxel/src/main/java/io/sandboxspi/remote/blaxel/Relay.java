package io.sandboxspi.remote.blaxel;

import io.sandboxspi.TerminalSize;
import io.sandboxspi.core.posix.MarkScanner;
import io.sandboxspi.core.time.Lane;
import io.sandboxspi.remote.shell.Machine;
import io.sandboxspi.remote.shell.Output;
import io.sandboxspi.remote.shell.Running;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.remote.transport.Serial;
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
 * A process behind one of the vendor's terminals: what the vendor's shell says before is taken out,
 * and the end is told when all of the output is here. Fields without a word are of {@link #serial}.
 */
final class Relay implements Running, Terminal.Listener, MarkScanner.Sink, Frames.Sink {
  private static final Logger LOG = LoggerFactory.getLogger(Relay.class);
  private static final Duration FAREWELL = Duration.ofSeconds(5);

  /** Begins the marks of a relay; those of the launcher pass between them. */
  private static final byte GS = 29;

  private static final int WORDS_LIMIT = 1024;
  private static final int MESSAGE = 16 * 1024;
  private static final byte[] GAP =
      "\r\n[the connection broke; output may be missing]\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final long MOST = 64L << 20;

  private final Terminal terminal;
  private final String word;
  private final boolean plain;
  private final Output output;
  private final Lane lane;
  private final Input input;

  private final Serial serial = new Serial();
  private final MarkScanner scanner;
  private final Frames frames = new Frames(this);
  private final History history = new History();
  private final StringBuilder words = new StringBuilder();
  private final Queue<Held> held = new ArrayDeque<>();
  private long heldBytes;
  private boolean full;
  private Output.@Nullable End ending;
  private boolean told;

  private final CompletableFuture<Boolean> loaded = new CompletableFuture<>();
  private final CompletableFuture<Boolean> ready = new CompletableFuture<>();
  private final AtomicBoolean heard = new AtomicBoolean();
  private final AtomicBoolean owing = new AtomicBoolean();
  private volatile long takenOutput;
  private volatile long takenErrors;
  private volatile boolean unsaid;
  private volatile boolean over;

  /**
   * Taken bytes are told to the relay by their number.
   *
   * @param number 0 for none
   */
  private record Held(OutputChannel channel, long number, ByteBuffer bytes) {}

  Relay(SandboxApi api, String id, String word, Machine.Start start, Output output, Lane lane) {
    this.terminal =
        new Terminal(api, id, start.terminal().orElse(TerminalSize.DEFAULT), lane, this);
    this.word = word;
    this.plain = start.terminal().isPresent();
    this.output = output;
    this.lane = lane;
    this.input = plain ? new TerminalInput(terminal) : new PipeInput(terminal);
    this.scanner = new MarkScanner(GS, word);
  }

  /** Connects, types the text, and waits until the program's streams are clean. */
  void open(RelayText text, Deadline deadline) throws InterruptedException {
    terminal.open(deadline);
    terminal.send(text.loader(), deadline);
    await(loaded, deadline);
    for (int from = 0; from < text.body().length(); from += MESSAGE) {
      int to = Math.min(text.body().length(), from + MESSAGE);
      terminal.send(text.body().substring(from, to), deadline);
    }
    await(ready, deadline);
  }

  private static void await(CompletableFuture<Boolean> event, Deadline deadline)
      throws InterruptedException {
    try {
      boolean unused = event.get(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
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
    input.over();
    later(() -> terminal.kill(Deadline.after(FAREWELL)), "a terminal was not ended");
  }

  private interface Task {
    void run() throws InterruptedException;
  }

  private void later(Task task, String otherwise) {
    lane.execute(
        () -> {
          try {
            task.run();
          } catch (RemoteException e) {
            LOG.debug(otherwise, e);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
  }

  // What comes

  /** A piece may be dropped that no other one follows: the relay tells how far it is. */
  @Override
  public String beat() {
    boolean quiet = !heard.getAndSet(false);
    return quiet && !plain && ready.isDone() && !over ? Terminal.input("q\n") : Terminal.NOTHING;
  }

  @Override
  public void output(String text) {
    heard.set(true);
    serial.execute(() -> take(text));
  }

  private void take(String text) {
    if (plain) {
      history.add(text);
    }
    try {
      scanner.feed(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)), this);
    } catch (RemoteException e) {
      fail(e);
    }
  }

  @Override
  public void replay(String text) {
    serial.execute(
        () -> {
          if (plain) {
            Optional<String> unseen = history.unseen(text);
            if (unseen.isEmpty()) {
              scanner.finish(this);
              deliver(OutputChannel.STDOUT, 0, ByteBuffer.wrap(GAP));
            }
            take(unseen.orElse(text));
          } else {
            scanner.finish(this);
            frames.restart();
            take(text);
            acknowledge();
            again();
          }
        });
  }

  @Override
  public void data(ByteBuffer bytes) {
    if (!ready.isDone()) {
      keepWords(bytes);
    }
    if (!plain) {
      frames.feed(bytes);
    } else if (ready.isDone() && ending == null && bytes.hasRemaining()) {
      deliver(OutputChannel.STDOUT, 0, bytes);
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
    if (text.startsWith("LOAD ") && !loaded.isDone()) {
      String[] parts = text.split(" ");
      terminal.shell(new SandboxApi.Shell(parts[1], parts.length > 2 ? parts[2] : ""));
      boolean unused = loaded.complete(true);
    } else if (text.startsWith("FAILED ")) {
      failed(text.substring("FAILED ".length()));
    } else if (text.equals("READY")) {
      terminal.established();
      boolean unused = ready.complete(true);
    } else if (text.equals("END")) {
      end();
    }
  }

  @Override
  public void piece(OutputChannel channel, long number, byte[] bytes) {
    if (ending == null) {
      deliver(channel, number, ByteBuffer.wrap(bytes));
    }
  }

  @Override
  public void taken(long number) {
    input.taken(number);
  }

  @Override
  public void came(long number) {
    if (input.behind(number)) {
      again();
    }
    if (unsaid) {
      acknowledge();
    }
  }

  private void again() {
    later(() -> input.again(Deadline.after(FAREWELL)), "input was not sent again");
  }

  /** All of its output is here: it need not wait any more. */
  @Override
  public void end() {
    terminal.leave('\n' + word + '\n');
    close(new Output.End(Optional.empty(), Optional.empty()));
  }

  @Override
  public void failed(String why) {
    fail(new RemoteException(Kind.BROKEN, "the sandbox cannot run a program: no " + why));
  }

  @Override
  public void gap() {
    terminal.again();
  }

  private void deliver(OutputChannel channel, long number, ByteBuffer bytes) {
    if (full || !held.isEmpty()) {
      ByteBuffer copy = ByteBuffer.allocate(bytes.remaining()).put(bytes.duplicate()).flip();
      held.add(new Held(channel, number, copy));
      heldBytes += copy.remaining();
      if (heldBytes > MOST) {
        held.clear();
        fail(new RemoteException(Kind.TOO_LARGE, "the terminal's output is not read"));
      }
    } else {
      full = !output.onOutput(channel, bytes);
      delivered(channel, number);
    }
  }

  private void delivered(OutputChannel channel, long number) {
    if (number > 0) {
      if (channel == OutputChannel.STDOUT) {
        takenOutput = number;
      } else {
        takenErrors = number;
      }
      acknowledge();
    }
  }

  /** Numbers only grow: one message speaks for all before it. */
  private void acknowledge() {
    if (owing.compareAndSet(false, true)) {
      later(
          () -> {
            owing.set(false);
            unsaid = true;
            terminal.send(
                "o " + takenOutput + "\ne " + takenErrors + "\n", Deadline.after(FAREWELL));
            unsaid = false;
          },
          "output is held up");
    }
  }

  private void flush() {
    while (!held.isEmpty() && !full) {
      Held next = held.remove();
      heldBytes -= next.bytes().remaining();
      full = !output.onOutput(next.channel(), next.bytes());
      delivered(next.channel(), next.number());
    }
    if (ending != null && held.isEmpty() && !told) {
      told = true;
      output.onEnd(ending);
    }
  }

  @Override
  public void lost(RemoteException failure) {
    serial.execute(
        () -> {
          scanner.finish(this);
          close(Output.End.broken(failure));
        });
  }

  private void fail(RemoteException failure) {
    close(Output.End.broken(failure));
    later(() -> terminal.kill(Deadline.after(FAREWELL)), "a terminal was not ended");
  }

  private void close(Output.End end) {
    over = true;
    input.over();
    if (ending == null) {
      ending = end;
      String said = words.toString().strip();
      RemoteException why =
          end.broken()
              .orElseGet(
                  () ->
                      new RemoteException(
                          Kind.BROKEN, "the sandbox's shell ended before it was ready: " + said));
      boolean unused = loaded.completeExceptionally(why) || ready.completeExceptionally(why);
      flush();
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
      terminal.resize(size, deadline);
    }
  }

  @Override
  public void end(Deadline deadline) throws InterruptedException {
    terminal.kill(deadline);
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
      terminal.close();
    }
  }

  @Override
  public String toString() {
    return "Relay[" + terminal + "]";
  }
}
