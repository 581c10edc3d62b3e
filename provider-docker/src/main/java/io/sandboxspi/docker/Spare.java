package io.sandboxspi.docker;

import io.sandboxspi.core.posix.LaunchMarks;
import io.sandboxspi.core.posix.LaunchReport;
import io.sandboxspi.docker.attach.Attach;
import io.sandboxspi.docker.attach.AttachListener;
import io.sandboxspi.docker.attach.AttachReactor;
import io.sandboxspi.docker.engine.EngineException;
import io.sandboxspi.docker.engine.EngineException.Kind;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.LaunchId;
import io.sandboxspi.spi.OutputChannel;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A process that was started beforehand and waits for its launch. Its stream becomes the launch's;
 * what comes before it is given away is held until then. Thread-safe.
 */
final class Spare {
  private final LaunchId id;
  private final boolean terminal;
  private final String exec;
  private final AttachReactor reactor;
  private final Attach attach;
  private final Stream stream;

  /**
   * Takes a connection over.
   *
   * @param lost called on the reactor's thread when the stream is over and nobody has taken it
   */
  Spare(
      LaunchId id,
      boolean terminal,
      Execs.Started started,
      AttachReactor reactor,
      Consumer<LaunchId> lost) {
    this.id = id;
    this.terminal = terminal;
    this.exec = started.id();
    this.reactor = reactor;
    this.stream = new Stream(id, lost);
    this.attach = reactor.attach(started.connection(), terminal, stream);
  }

  LaunchId id() {
    return id;
  }

  boolean terminal() {
    return terminal;
  }

  /** Waits until it waits for a launch. */
  boolean awaitReady(Deadline deadline) throws InterruptedException {
    try {
      return stream.first.get(deadline.remainingNanos(), TimeUnit.NANOSECONDS)
          == LaunchReport.Waiting.INSTANCE;
    } catch (TimeoutException e) {
      throw new EngineException(Kind.TIMEOUT, "a spare did not start in time", e);
    } catch (ExecutionException e) {
      throw new IllegalStateException("this future never fails", e);
    }
  }

  /** Gives its stream to a launch that it has taken. */
  Attach give(Launch launch) {
    launch.started(exec);
    launch.attached().complete(attach);
    reactor.execute(
        () -> {
          stream.give(launch);
          // Not before: what is held would have nobody to go to.
          attach.resume();
        });
    return attach;
  }

  /** Reads its stream to the end, as must be before it is killed. */
  void drain() {
    attach.drain();
  }

  /** Lets go of its stream; the process stays. */
  void close() {
    attach.close();
  }

  /** All of this is on the reactor's thread. */
  private static final class Stream implements AttachListener {
    private final LaunchId id;
    private final Consumer<LaunchId> lost;
    private final CompletableFuture<LaunchReport> first = new CompletableFuture<>();
    private final LaunchMarks marks;
    private @Nullable Launch taker;
    private @Nullable OutputChannel heldChannel;
    private ByteBuffer held = ByteBuffer.allocate(0);
    private @Nullable Optional<Exception> end;

    Stream(LaunchId id, Consumer<LaunchId> lost) {
      this.id = id;
      this.lost = lost;
      this.marks = LaunchMarks.of(id, first::complete, bytes -> bytes.position(bytes.limit()));
    }

    @Override
    public boolean onOutput(OutputChannel channel, ByteBuffer bytes) {
      if (taker != null) {
        return taker.onOutput(channel, bytes);
      }
      if (!first.isDone()) {
        if (channel == OutputChannel.STDOUT) {
          marks.feed(bytes);
        }
        return true;
      }
      heldChannel = channel;
      held = ByteBuffer.allocate(bytes.remaining()).put(bytes).flip();
      return false;
    }

    void give(Launch launch) {
      taker = launch;
      if (end != null) {
        launch.onEnd(end);
      }
    }

    @Override
    public boolean onResumed() {
      if (taker == null) {
        return false;
      }
      OutputChannel channel = heldChannel;
      if (channel == null) {
        return taker.onResumed();
      }
      heldChannel = null;
      return taker.onOutput(channel, held);
    }

    @Override
    public void onEnd(Optional<Exception> broken) {
      end = broken;
      first.complete(LaunchReport.Unknown.INSTANCE);
      if (taker != null) {
        taker.onEnd(broken);
      } else {
        lost.accept(id);
      }
    }
  }
}
