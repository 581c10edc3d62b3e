package io.sandboxspi.remote.shell;

import io.sandboxspi.core.posix.ControlQuestions;
import io.sandboxspi.core.posix.ControlQuestions.Question;
import io.sandboxspi.core.posix.ControlShell;
import io.sandboxspi.core.time.Lane;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.InputClosedException;
import io.sandboxspi.spi.OutputChannel;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One shell in the sandbox that is kept and asked again and again: a question costs a round trip. A
 * shell that does not answer in time, or whose connection broke, is let go of and ended; the next
 * question starts another. Thread-safe.
 */
final class ControlLink {
  private static final Logger LOG = LoggerFactory.getLogger(ControlLink.class);
  private static final Duration FAREWELL = Duration.ofSeconds(2);

  private final Machine machine;
  private final String shell;
  private final String library;
  private final Lane lane;
  private final Semaphore turn = new Semaphore(1, true);

  private final Object lock = new Object();
  private @Nullable Kept kept;
  private boolean closed;

  /**
   * Starts nothing yet.
   *
   * @param library functions that the shell reads first, beside those of {@link ControlShell}
   */
  ControlLink(Machine machine, String shell, String library, Lane lane) {
    this.machine = machine;
    this.shell = shell;
    this.library = library;
    this.lane = lane;
  }

  /**
   * Runs a command in the sandbox and waits for its answer.
   *
   * @throws RemoteException when none comes in time; whether it ran is not known then
   */
  ControlShell.Answer ask(String command, Deadline deadline) throws InterruptedException {
    Kept mine;
    Question asked;
    if (!turn.tryAcquire(deadline.remainingNanos(), TimeUnit.NANOSECONDS)) {
      throw new RemoteException(Kind.TIMEOUT, "the control shell is busy");
    }
    try {
      mine = current().orElse(null);
      byte[] first = new byte[0];
      if (mine == null) {
        mine = open(deadline);
        first = bootstrap();
      }
      asked = mine.questions.begin(command);
      mine.send(join(first, asked.bytes()), deadline);
    } finally {
      turn.release();
    }
    try {
      return mine.await(asked, deadline);
    } catch (InterruptedException e) {
      mine.questions.forget(asked);
      throw e;
    }
  }

  /** In the same write as the first question, which saves a round trip. */
  private byte[] bootstrap() {
    return join(ControlShell.bootstrap(), library.getBytes(StandardCharsets.UTF_8));
  }

  private static byte[] join(byte[] first, byte[] second) {
    return ByteBuffer.allocate(first.length + second.length).put(first).put(second).array();
  }

  private Optional<Kept> current() {
    synchronized (lock) {
      return Optional.ofNullable(kept).filter(shell -> !shell.questions.over());
    }
  }

  private Kept open(Deadline deadline) throws InterruptedException {
    Kept fresh = new Kept();
    Running running =
        machine.start(
            new Machine.Start(List.of(shell), Map.of(), Optional.empty(), true), fresh, deadline);
    fresh.running.complete(running);
    boolean late;
    synchronized (lock) {
      late = closed;
      if (!late) {
        kept = fresh;
      }
    }
    if (late) {
      fresh.giveUp("the sandbox is released");
      throw new RemoteException(Kind.CLOSED, "the sandbox is released");
    }
    return fresh;
  }

  /**
   * Ends the shell, if there is one; the next question starts another. Questions that wait for an
   * answer fail.
   */
  void rest(Deadline deadline) throws InterruptedException {
    Optional<Kept> mine;
    synchronized (lock) {
      mine = Optional.ofNullable(kept);
      kept = null;
    }
    if (mine.isPresent()) {
      mine.get().endNow(deadline);
    }
  }

  /** Lets go of the shell and ends it, on the lane. */
  void close() {
    Optional<Kept> mine;
    synchronized (lock) {
      closed = true;
      mine = Optional.ofNullable(kept);
      kept = null;
    }
    mine.ifPresent(shell -> shell.giveUp("the sandbox is released"));
  }

  private final class Kept implements Output {
    private final ControlQuestions questions = new ControlQuestions();
    private final CompletableFuture<Running> running = new CompletableFuture<>();

    void send(byte[] bytes, Deadline deadline) throws InterruptedException {
      boolean sent = false;
      try {
        running.join().write(ByteBuffer.wrap(bytes), deadline);
        sent = true;
      } catch (InputClosedException e) {
        throw new RemoteException(Kind.BROKEN, "the control shell has ended", e);
      } finally {
        // Half a question would spoil the next one.
        if (!sent) {
          giveUp("the control shell was given up");
        }
      }
    }

    ControlShell.Answer await(Question asked, Deadline deadline) throws InterruptedException {
      try {
        return asked.await(deadline);
      } catch (TimeoutException e) {
        giveUp("the control shell did not answer in time");
        throw new RemoteException(Kind.TIMEOUT, "the control shell did not answer in time", e);
      } catch (ExecutionException e) {
        throw e.getCause() instanceof RemoteException failure
            ? new RemoteException(failure.kind(), String.valueOf(failure.getMessage()), failure)
            : new RemoteException(Kind.BROKEN, "the control shell is lost", e);
      }
    }

    /** Nothing more can be learned from this shell. */
    void giveUp(String why) {
      if (!questions.fail(new RemoteException(Kind.BROKEN, why))) {
        return;
      }
      Running mine = running.getNow(null);
      if (mine != null) {
        mine.close();
        lane.execute(() -> end(mine));
      }
    }

    void endNow(Deadline deadline) throws InterruptedException {
      if (questions.fail(new RemoteException(Kind.BROKEN, "the control shell rests"))) {
        Running mine = running.join();
        mine.close();
        mine.end(deadline);
      }
    }

    /** Its input stays open in some sandboxes, so it would not end by itself. */
    private void end(Running mine) {
      try {
        mine.end(Deadline.after(FAREWELL));
      } catch (RemoteException e) {
        LOG.debug("a control shell was not ended", e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public boolean onOutput(OutputChannel channel, ByteBuffer bytes) {
      questions.feed(channel, bytes);
      return true;
    }

    @Override
    public void onEnd(End end) {
      giveUp("the control shell has ended");
    }
  }
}
