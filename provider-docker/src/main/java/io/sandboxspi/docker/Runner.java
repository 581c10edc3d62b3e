package io.sandboxspi.docker;

import io.sandboxspi.core.posix.LaunchMarks;
import io.sandboxspi.core.posix.LaunchReport;
import io.sandboxspi.core.posix.PosixRunner;
import io.sandboxspi.core.time.Lane;
import io.sandboxspi.docker.attach.Attach;
import io.sandboxspi.docker.attach.AttachListener;
import io.sandboxspi.docker.attach.AttachReactor;
import io.sandboxspi.docker.engine.EngineException;
import io.sandboxspi.docker.engine.EngineException.Kind;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.LaunchId;
import io.sandboxspi.spi.LaunchRequest;
import io.sandboxspi.spi.OutputChannel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A process that waits for a launch, and after it for the next ({@link PosixRunner}). Its stream is
 * the launch's until that is over; a launch that is killed takes the runner with it. Thread-safe.
 */
final class Runner implements Stock.Item, AttachListener {
  private static final Logger LOG = LoggerFactory.getLogger(Runner.class);
  private static final Duration TURN = Duration.ofMillis(500);

  private final PosixRunner posix;
  private final LaunchId id;
  private final String exec;
  private final AttachReactor reactor;
  private final Lane lane;
  private final Consumer<Runner> free;
  private final Consumer<LaunchId> lost;
  private final Attach attach;

  private volatile CompletableFuture<LaunchReport> waiting = new CompletableFuture<>();
  private volatile @Nullable Lease lease;

  // Of the reactor's thread.
  private LaunchMarks idle;

  /**
   * Takes a connection over.
   *
   * @param free called on the reactor's thread when a launch is over and another may come
   * @param lost called on the reactor's thread when it has ended
   */
  Runner(
      PosixRunner posix,
      LaunchId id,
      Execs.Started started,
      AttachReactor reactor,
      Lane lane,
      Consumer<Runner> free,
      Consumer<LaunchId> lost) {
    this.posix = posix;
    this.id = id;
    this.exec = started.id();
    this.reactor = reactor;
    this.lane = lane;
    this.free = free;
    this.lost = lost;
    this.idle = marks(waiting);
    this.attach = reactor.attach(started.connection(), false, this);
  }

  private LaunchMarks marks(CompletableFuture<LaunchReport> report) {
    return LaunchMarks.of(id, report::complete, bytes -> bytes.position(bytes.limit()));
  }

  @Override
  public LaunchId id() {
    return id;
  }

  /** Lets it wait for a launch. */
  void prepare(Deadline deadline) {
    try {
      Attach.Written written = attach.write(ByteBuffer.wrap(posix.ready()), deadline);
      if (written != Attach.Written.ALL) {
        close();
      }
    } catch (IOException e) {
      LOG.debug("a runner is lost", e);
      close();
    } catch (InterruptedException e) {
      close();
      Thread.currentThread().interrupt();
    }
  }

  /** Waits until it waits for a launch. */
  boolean awaitReady(Deadline deadline) throws InterruptedException {
    try {
      return waiting.get(deadline.remainingNanos(), TimeUnit.NANOSECONDS)
          == LaunchReport.Waiting.INSTANCE;
    } catch (TimeoutException e) {
      LOG.debug("a runner does not wait in time", e);
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException("this future never fails", e);
    }
  }

  /**
   * Gives it a launch, whose stream is this one's from now on; empty when it takes none.
   *
   * @param workdir absolute
   */
  Optional<ProcessStream> run(
      Launch launch, LaunchRequest request, String workdir, Deadline deadline)
      throws InterruptedException {
    LaunchId mark = LaunchId.random();
    byte[] text = posix.launch(mark, request, workdir);
    boolean taken = false;
    try {
      Duration left = deadline.remaining();
      if (!awaitReady(Deadline.after(left.compareTo(TURN) < 0 ? left : TURN))) {
        return Optional.empty();
      }
      Lease mine = new Lease(launch, mark, request.openInput());
      // At once: the reactor may still be reading when the answer comes.
      begin(mine);
      Attach.Written written = attach.write(ByteBuffer.wrap(text), deadline);
      if (written == Attach.Written.TIMEOUT) {
        throw new EngineException(Kind.TIMEOUT, "the sandbox takes no launch");
      }
      taken = written == Attach.Written.ALL;
      if (taken) {
        launch.started(exec);
        reactor.execute(mine::give);
        return Optional.of(mine);
      }
    } catch (IOException e) {
      // A launch that was not sent whole is not started.
      LOG.debug("a runner is lost", e);
    } finally {
      if (!taken) {
        close();
      }
    }
    return Optional.empty();
  }

  private void begin(Lease mine) {
    mine.output.begin();
    lease = mine;
  }

  @Override
  public void close() {
    attach.close();
    waiting.complete(LaunchReport.Unknown.INSTANCE);
  }

  @Override
  public boolean onOutput(OutputChannel channel, ByteBuffer bytes) {
    Lease mine = lease;
    if (mine != null) {
      return mine.take(channel, bytes);
    }
    if (channel == OutputChannel.STDOUT && !idle.announced()) {
      idle.feed(bytes);
    }
    return true;
  }

  @Override
  public boolean onResumed() {
    Lease mine = lease;
    return mine == null || mine.resumed();
  }

  @Override
  public void onEnd(Optional<Exception> broken) {
    Lease mine = lease;
    waiting.complete(LaunchReport.Unknown.INSTANCE);
    if (mine == null) {
      lost.accept(id);
    } else {
      mine.ended(broken);
    }
  }

  /** The launch is over; on the reactor's thread. */
  private void over(boolean reusable) {
    lease = null;
    if (reusable) {
      CompletableFuture<LaunchReport> next = new CompletableFuture<>();
      idle = marks(next);
      waiting = next;
      free.accept(this);
    } else {
      close();
    }
  }

  /** The stream, for one launch. */
  private final class Lease implements ProcessStream {
    private final LaunchOutput output;
    private final Launch launch;
    private final boolean input;

    private final Object lock = new Object();
    // Guarded by the lock.
    private boolean over;
    private boolean spoiled;

    // Of the reactor's thread.
    private boolean given;
    private @Nullable Optional<Exception> end;

    Lease(Launch launch, LaunchId mark, boolean input) {
      this.launch = launch;
      this.output = new LaunchOutput(launch, mark);
      this.input = input;
    }

    boolean take(OutputChannel channel, ByteBuffer bytes) {
      launch.flow();
      output.feed(channel, bytes);
      return settle();
    }

    boolean resumed() {
      boolean unused = launch.onResumed();
      return settle();
    }

    private boolean settle() {
      if (output.over() && launch.hasAll()) {
        finish();
        return true;
      }
      return launch.flows();
    }

    private void finish() {
      boolean reusable;
      synchronized (lock) {
        reusable = !spoiled && !input;
        over = true;
      }
      output.end().ifPresentOrElse(launch::finish, () -> launch.onEnd(Optional.empty()));
      over(reusable);
    }

    /** The launch is told of an end only once it is sure that it was taken. */
    void give() {
      given = true;
      if (end != null) {
        ended(end);
      }
    }

    void ended(Optional<Exception> broken) {
      end = broken;
      if (!given) {
        return;
      }
      if (output.over()) {
        finish();
        return;
      }
      synchronized (lock) {
        over = true;
      }
      output.finish();
      launch.onEnd(broken);
    }

    @Override
    public Attach.Written write(ByteBuffer bytes, Deadline deadline)
        throws InterruptedException, IOException {
      return input && !isOver() ? attach.write(bytes, deadline) : Attach.Written.CLOSED;
    }

    @Override
    public Attach.Written closeInput(Deadline deadline) throws InterruptedException, IOException {
      return input && !isOver() ? attach.closeInput(deadline) : Attach.Written.ALL;
    }

    private boolean isOver() {
      synchronized (lock) {
        return over;
      }
    }

    /** Whether it was not over; it takes the runner with it. */
    private boolean spoil() {
      synchronized (lock) {
        spoiled |= !over;
        return !over;
      }
    }

    @Override
    public void resume() {
      if (!isOver()) {
        attach.resume();
      }
    }

    @Override
    public void drain() {
      if (spoil()) {
        attach.drain();
        // The marks may be dropped with the rest: the runner's end comes instead.
        lane.execute(this::endInput);
      }
    }

    private void endInput() {
      try {
        Attach.Written unused = attach.closeInput(Deadline.after(TURN));
      } catch (IOException e) {
        LOG.debug("a runner is lost", e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public void close() {
      if (spoil()) {
        attach.close();
      }
    }
  }
}
