package io.sandboxspi.docker;

import io.sandboxspi.ExitStatus;
import io.sandboxspi.core.posix.LaunchMarks;
import io.sandboxspi.core.posix.LaunchReport;
import io.sandboxspi.docker.attach.AttachListener;
import io.sandboxspi.docker.engine.EngineException;
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
 * One launch: takes the announcement out of its output, and tells its listener the rest. Everything
 * of {@link AttachListener} is on the reactor's thread, and so is what the listener hears.
 */
final class Launch implements AttachListener {
  private static final int WORDS_LIMIT = 2048;
  private static final int EARLY_LIMIT = 1 << 20;

  private final LaunchId id;
  private final boolean terminal;
  private final ProcessListener listener;
  private final Consumer<Launch> ended;
  private final CompletableFuture<LaunchReport> announced = new CompletableFuture<>();
  private final CompletableFuture<ProcessStream> attached = new CompletableFuture<>();
  private final CompletableFuture<Optional<Exception>> over = new CompletableFuture<>();

  // Of the reactor's thread.
  private LaunchMarks marks;
  private final Queue<Held> held = new ArrayDeque<>();
  private final ByteArrayOutputStream words = new ByteArrayOutputStream();
  private int early;
  private boolean full;
  private boolean exitTold;

  private volatile String exec = "";
  private volatile boolean leased;
  private volatile boolean silenced;
  private volatile boolean killed;
  private volatile boolean exitKnown;

  private record Held(OutputChannel channel, ByteBuffer bytes) {}

  /**
   * For one launch.
   *
   * @param ended called on the reactor's thread when its stream is over
   */
  Launch(LaunchId id, boolean terminal, ProcessListener listener, Consumer<Launch> ended) {
    this.id = id;
    this.terminal = terminal;
    this.listener = listener;
    this.ended = ended;
    this.marks =
        LaunchMarks.of(id, announced::complete, bytes -> deliver(OutputChannel.STDOUT, bytes));
  }

  /** A mark comes behind its standard output; before anything of the output has come. */
  void marked(LaunchId mark, Consumer<LaunchReport> trailer) {
    leased = true;
    marks =
        LaunchMarks.of(
            id,
            mark,
            report -> {
              if (!announced.complete(report)) {
                trailer.accept(report);
              }
            },
            bytes -> deliver(OutputChannel.STDOUT, bytes));
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

  /** Its stream, once there is one. */
  CompletableFuture<ProcessStream> attached() {
    return attached;
  }

  /** Completes when the stream is over, with what broke it. */
  CompletableFuture<Optional<Exception>> over() {
    return over;
  }

  /** The engine's id of the exec; empty before there is one. */
  String exec() {
    return exec;
  }

  void started(String execId) {
    exec = execId;
  }

  /** Whether the exec is that of a runner, whose code is not the program's after a kill. */
  boolean leased() {
    return leased;
  }

  boolean exitKnown() {
    return exitKnown;
  }

  /** Whether a kill was asked for. */
  boolean killed() {
    return killed;
  }

  void markKilled() {
    killed = true;
  }

  /** Lets go of the stream, now or when it comes; the listener hears of the exit at most. */
  void abandon() {
    silenced = true;
    boolean failed =
        announced.completeExceptionally(
            new EngineException(EngineException.Kind.BROKEN, "the launch was abandoned"));
    exitKnown |= failed;
    boolean unused = attached.thenAccept(ProcessStream::close).isDone();
  }

  /** What came instead of an announcement; for the reactor's thread, or once the stream is over. */
  String words() {
    return words.toString(StandardCharsets.UTF_8).strip();
  }

  /** The listener hears of the exit at most. */
  void silence() {
    silenced = true;
  }

  boolean silenced() {
    return silenced;
  }

  /** Whether its program has started. */
  boolean running() {
    return announced.isDone()
        && !announced.isCompletedExceptionally()
        && announced.join() instanceof LaunchReport.Started;
  }

  /** Whether it said that its program does not start: it ends by itself. */
  boolean declined() {
    return announced.isDone()
        && !announced.isCompletedExceptionally()
        && (announced.join() instanceof LaunchReport.Failed
            || announced.join() == LaunchReport.Refused.INSTANCE);
  }

  @Override
  public boolean onOutput(OutputChannel channel, ByteBuffer bytes) {
    flow();
    take(channel, bytes);
    return !full;
  }

  /** The listener may have more from now on. */
  void flow() {
    full = false;
  }

  /** Whether the listener wants more. */
  boolean flows() {
    return !full;
  }

  /** Whether it wants more and nothing is held for it. */
  boolean hasAll() {
    return !full && held.isEmpty();
  }

  /** As {@link #onOutput}, but a part only: what comes after the listener had enough is held. */
  void take(OutputChannel channel, ByteBuffer bytes) {
    if (marks.announced()) {
      if (channel == OutputChannel.STDOUT) {
        marks.feed(bytes);
      } else {
        deliver(channel, bytes);
      }
      return;
    }
    keepWords(bytes);
    if (channel == OutputChannel.STDERR) {
      // It may be the program's: the announcement comes on the other pipe.
      early += bytes.remaining();
      if (early <= EARLY_LIMIT) {
        hold(channel, bytes);
      }
      return;
    }
    int before = held.size();
    marks.feed(bytes);
    if (marks.announced() && before > 0) {
      boolean unused = onResumed();
    }
  }

  private void keepWords(ByteBuffer bytes) {
    ByteBuffer copy = bytes.duplicate();
    while (copy.hasRemaining() && words.size() < WORDS_LIMIT) {
      words.write(copy.get());
    }
  }

  /** Tells the listener, or holds what comes after it had enough or before what is held. */
  private void deliver(OutputChannel channel, ByteBuffer bytes) {
    if (silenced || !running()) {
      return;
    }
    if (full || !held.isEmpty()) {
      hold(channel, bytes);
    } else if (bytes.hasRemaining()) {
      full = !listener.onOutput(channel, bytes);
    }
  }

  private void hold(OutputChannel channel, ByteBuffer bytes) {
    held.add(new Held(channel, ByteBuffer.allocate(bytes.remaining()).put(bytes).flip()));
  }

  @Override
  public boolean onResumed() {
    full = false;
    while (!held.isEmpty() && !full) {
      Held next = held.remove();
      if (!silenced && running()) {
        full = !listener.onOutput(next.channel(), next.bytes());
      }
    }
    return !full;
  }

  @Override
  public void onEnd(Optional<Exception> broken) {
    end(broken);
    ended.accept(this);
  }

  /** It is over, and so it ended; on the reactor's thread. */
  void finish(ExitStatus status) {
    end(Optional.empty());
    tellExit(status);
  }

  private void end(Optional<Exception> broken) {
    marks.finish();
    held.clear();
    over.complete(broken);
    if (running() && !silenced) {
      listener.onOutputClosed();
    }
    announced.complete(LaunchReport.Unknown.INSTANCE);
  }

  /** Tells the exit, once; on the reactor's thread. */
  void tellExit(ExitStatus status) {
    exitKnown = true;
    if (!exitTold && running()) {
      exitTold = true;
      // Also after a release: it is evidence.
      listener.onExit(status);
    }
  }
}
