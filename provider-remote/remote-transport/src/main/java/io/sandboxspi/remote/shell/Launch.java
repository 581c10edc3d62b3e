package io.sandboxspi.remote.shell;

import io.sandboxspi.ExitStatus;
import io.sandboxspi.core.posix.LaunchMarks;
import io.sandboxspi.core.posix.LaunchReport;
import io.sandboxspi.core.time.Callback;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.remote.transport.Serial;
import io.sandboxspi.spi.LaunchId;
import io.sandboxspi.spi.OutputChannel;
import io.sandboxspi.spi.ProcessListener;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * One launch: takes the launcher's marks out of its output and tells its listener the rest. What
 * the listener hears comes from {@link #serial}, and fields without a word are of it.
 */
final class Launch implements Output {
  private static final int WORDS_LIMIT = 2048;
  private static final int EARLY_LIMIT = 1 << 20;

  private final LaunchId id;
  private final boolean terminal;
  private final ProcessListener listener;
  private final Consumer<Launch> ended;
  private final LaunchMarks marks;
  private final Serial serial = new Serial();
  private final CompletableFuture<LaunchReport> announced = new CompletableFuture<>();
  private final CompletableFuture<Running> running = new CompletableFuture<>();
  private final CompletableFuture<End> over = new CompletableFuture<>();

  private final Queue<Held> held = new ArrayDeque<>();
  private final ByteArrayOutputStream words = new ByteArrayOutputStream();
  private int early;
  private boolean exitTold;
  private boolean closeTold;

  private volatile boolean full;
  private volatile boolean silenced;
  private volatile boolean killed;
  private volatile boolean exitKnown;

  private record Held(OutputChannel channel, ByteBuffer bytes) {}

  /**
   * For one launch.
   *
   * @param mark the word of its exit trailer
   * @param ended called when its stream is over and no trailer came; must not block
   */
  Launch(
      LaunchId id,
      LaunchId mark,
      boolean terminal,
      ProcessListener listener,
      Consumer<Launch> ended) {
    this.id = id;
    this.terminal = terminal;
    this.listener = listener;
    this.ended = ended;
    this.marks =
        LaunchMarks.of(id, mark, this::reported, bytes -> deliver(OutputChannel.STDOUT, bytes));
  }

  LaunchId id() {
    return id;
  }

  boolean terminal() {
    return terminal;
  }

  /** Completes with the launcher's first word, or when the stream ended without one. */
  CompletableFuture<LaunchReport> announced() {
    return announced;
  }

  /** Its streams, once there are some. */
  CompletableFuture<Running> running() {
    return running;
  }

  /** Completes when the stream is over. */
  CompletableFuture<End> over() {
    return over;
  }

  boolean exitKnown() {
    return exitKnown;
  }

  boolean killed() {
    return killed;
  }

  boolean silenced() {
    return silenced;
  }

  /** The listener hears of the exit at most. */
  void silence() {
    silenced = true;
  }

  /** A kill was asked for: the stream is read to its end, whatever the listener wants. */
  void markKilled() {
    killed = true;
    Running now = running.getNow(null);
    if (now != null) {
      now.resume();
    }
  }

  /** It did not come to be, and is ended by its id: what the vendor keeps of it may go. */
  void fail() {
    silenced = true;
    Callback.when(
        running,
        (now, failure) -> {
          if (now != null) {
            now.exited();
          }
        });
  }

  /** Lets go of the stream, now or when it comes. */
  void abandon() {
    silenced = true;
    boolean unused =
        announced.completeExceptionally(
            new RemoteException(Kind.CLOSED, "the launch was abandoned"));
    Callback.when(
        running,
        (now, failure) -> {
          if (now != null) {
            now.close();
          }
        });
  }

  /** Whether its program has started. */
  boolean started() {
    return announced.isDone()
        && !announced.isCompletedExceptionally()
        && announced.join() instanceof LaunchReport.Started;
  }

  /** What came instead of an announcement; once the stream is over. */
  String words() {
    return words.toString(StandardCharsets.UTF_8).strip();
  }

  @Override
  public boolean onOutput(OutputChannel channel, ByteBuffer bytes) {
    ByteBuffer copy = ByteBuffer.allocate(bytes.remaining()).put(bytes).flip();
    serial.execute(() -> take(channel, copy));
    return killed || !full;
  }

  private void take(OutputChannel channel, ByteBuffer bytes) {
    if (marks.announced()) {
      if (channel == OutputChannel.STDERR) {
        deliver(channel, bytes);
      } else {
        marks.feed(bytes);
      }
      return;
    }
    keepWords(bytes);
    if (channel == OutputChannel.STDERR) {
      // It may be the program's: the announcement comes on the other pipe.
      early += bytes.remaining();
      if (early <= EARLY_LIMIT) {
        held.add(new Held(channel, bytes));
      }
      return;
    }
    marks.feed(bytes);
    if (marks.announced()) {
      flush();
    }
  }

  private void keepWords(ByteBuffer bytes) {
    ByteBuffer copy = bytes.duplicate();
    while (copy.hasRemaining() && words.size() < WORDS_LIMIT) {
      words.write(copy.get());
    }
  }

  private void reported(LaunchReport report) {
    if (!announced.complete(report) && report instanceof LaunchReport.Ended end) {
      exit(end.status());
    }
  }

  /** Tells the listener, or holds what comes after it had enough or before what is held. */
  private void deliver(OutputChannel channel, ByteBuffer bytes) {
    if (silenced || !started() || (killed && full)) {
      return;
    }
    if (full || !held.isEmpty()) {
      held.add(
          new Held(channel, ByteBuffer.allocate(bytes.remaining()).put(bytes.duplicate()).flip()));
    } else if (bytes.hasRemaining()) {
      full = !listener.onOutput(channel, bytes);
    }
  }

  private void flush() {
    while (!held.isEmpty() && !full) {
      Held next = held.remove();
      if (!silenced && started()) {
        full = !listener.onOutput(next.channel(), next.bytes());
      }
    }
    if (over.isDone()) {
      if (killed) {
        held.clear();
      }
      if (held.isEmpty()) {
        closed();
      }
    }
  }

  /** Goes on delivering. */
  void resume() {
    serial.execute(
        () -> {
          full = false;
          flush();
          Running now = running.getNow(null);
          if (!full && now != null) {
            now.resume();
          }
        });
  }

  @Override
  public void onEnd(End end) {
    serial.execute(
        () -> {
          marks.finish();
          over.complete(end);
          flush();
          boolean unused = announced.complete(LaunchReport.Unknown.INSTANCE);
          if (started() && !exitKnown) {
            ended.accept(this);
          }
        });
  }

  private void closed() {
    if (!closeTold && !silenced && started()) {
      closeTold = true;
      listener.onOutputClosed();
    }
  }

  /** Tells the exit, once, whoever found it. */
  void tellExit(ExitStatus status) {
    serial.execute(() -> exit(status));
  }

  private void exit(ExitStatus status) {
    exitKnown = true;
    Running now = running.getNow(null);
    if (now != null) {
      now.exited();
    }
    if (!exitTold && started()) {
      exitTold = true;
      // Also after a release: it is evidence.
      listener.onExit(status);
    }
  }

  /** What broke its stream. */
  Optional<RemoteException> broken() {
    return over.isDone() ? over.join().broken() : Optional.empty();
  }
}
