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
 * A process with a terminal that was started beforehand and waits for its launch. It is offered to
 * one, and given to it once it has said that it takes it; its stream is the launch's from the offer
 * on, so that output does not wait for that answer. Thread-safe.
 */
final class Spare implements Stock.Item {
  private final LaunchId id;
  private final String exec;
  private final AttachReactor reactor;
  private final Attach attach;
  private final Stream stream;

  /**
   * Takes a connection over.
   *
   * @param lost called on the reactor's thread when the stream is over and nobody has taken it
   */
  Spare(LaunchId id, Execs.Started started, AttachReactor reactor, Consumer<LaunchId> lost) {
    this.id = id;
    this.exec = started.id();
    this.reactor = reactor;
    this.stream = new Stream(id, lost);
    this.attach = reactor.attach(started.connection(), true, stream);
  }

  @Override
  public LaunchId id() {
    return id;
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

  /** The launch hears what comes from now on, but no end. */
  void offer(Launch launch) {
    stream.taker = launch;
  }

  /** It has taken the launch that it was offered to. */
  ProcessStream give(Launch launch) {
    launch.started(exec);
    reactor.execute(stream::give);
    return ProcessStream.of(attach);
  }

  /** Reads its stream to the end, as must be before it is killed. */
  void drain() {
    attach.drain();
  }

  /** Lets go of its stream; the process stays. */
  @Override
  public void close() {
    attach.close();
  }

  /** All of this is on the reactor's thread. */
  private static final class Stream implements AttachListener {
    private final LaunchId id;
    private final Consumer<LaunchId> lost;
    private final CompletableFuture<LaunchReport> first = new CompletableFuture<>();
    private final LaunchMarks marks;
    private volatile @Nullable Launch taker;
    private boolean given;
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
      if (channel == OutputChannel.STDOUT && !first.isDone()) {
        marks.feed(bytes);
      }
      return true;
    }

    void give() {
      given = true;
      if (end != null && taker != null) {
        taker.onEnd(end);
      }
    }

    @Override
    public boolean onResumed() {
      return taker == null || taker.onResumed();
    }

    @Override
    public void onEnd(Optional<Exception> broken) {
      end = broken;
      first.complete(LaunchReport.Unknown.INSTANCE);
      if (taker == null) {
        lost.accept(id);
      } else if (given) {
        taker.onEnd(broken);
      }
    }
  }
}
