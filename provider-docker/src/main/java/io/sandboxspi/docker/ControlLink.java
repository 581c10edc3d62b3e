package io.sandboxspi.docker;

import io.sandboxspi.core.posix.ControlQuestions;
import io.sandboxspi.core.posix.ControlQuestions.Question;
import io.sandboxspi.core.posix.ControlShell;
import io.sandboxspi.docker.attach.Attach;
import io.sandboxspi.docker.attach.AttachListener;
import io.sandboxspi.docker.attach.AttachReactor;
import io.sandboxspi.docker.engine.EngineException;
import io.sandboxspi.docker.engine.EngineException.Kind;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.OutputChannel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * One shell in the container that is kept and asked again and again: a question costs a round trip
 * instead of the start of a process. A shell that does not answer in time, or whose connection
 * broke, is let go of; the next question starts another. Thread-safe.
 */
final class ControlLink {
  private final Execs execs;
  private final AttachReactor reactor;
  private final String shell;
  private final String library;
  private final Semaphore turn = new Semaphore(1, true);

  private final Object lock = new Object();
  private @Nullable Kept kept;
  private boolean closed;

  /**
   * Starts nothing yet.
   *
   * @param library functions that the shell reads first, beside those of {@link ControlShell}
   */
  ControlLink(Execs execs, AttachReactor reactor, String shell, String library) {
    this.execs = execs;
    this.reactor = reactor;
    this.shell = shell;
    this.library = library;
  }

  /**
   * Runs a command in the container and waits for its answer.
   *
   * @throws EngineException when none comes in time; whether it ran is not known then
   */
  ControlShell.Answer ask(String command, Deadline deadline) throws InterruptedException {
    Kept mine;
    Question asked;
    if (!turn.tryAcquire(deadline.remainingNanos(), TimeUnit.NANOSECONDS)) {
      throw new EngineException(Kind.TIMEOUT, "the control shell is busy");
    }
    try {
      mine = current().orElse(null);
      if (mine == null) {
        mine = open(deadline);
      }
      asked = mine.questions.begin(command);
      mine.send(asked.bytes(), deadline);
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

  private Optional<Kept> current() {
    synchronized (lock) {
      return Optional.ofNullable(kept).filter(shell -> !shell.over());
    }
  }

  private Kept open(Deadline deadline) throws InterruptedException {
    Execs.Started started =
        execs.start(new Execs.Spec(List.of(shell), Map.of(), false, true), deadline);
    Kept fresh = new Kept();
    fresh.attach = reactor.attach(started.connection(), false, fresh);
    boolean late;
    synchronized (lock) {
      late = closed;
      if (!late) {
        kept = fresh;
      }
    }
    if (late) {
      fresh.attach.close();
      throw new EngineException(Kind.BROKEN, "the sandbox is released");
    }
    fresh.send(ControlShell.bootstrap(), deadline);
    if (!library.isEmpty()) {
      fresh.send(library.getBytes(StandardCharsets.UTF_8), deadline);
    }
    return fresh;
  }

  /** Lets go of the shell, which ends with its input. */
  void close() {
    Optional<Kept> mine;
    synchronized (lock) {
      closed = true;
      mine = Optional.ofNullable(kept);
      kept = null;
    }
    mine.ifPresent(shell -> shell.giveUp("the sandbox is released"));
  }

  static final class Kept implements AttachListener {
    private final ControlQuestions questions = new ControlQuestions();
    private @Nullable Attach attach;

    /** Whether nothing more can be learned from it. */
    boolean over() {
      return questions.over();
    }

    void send(byte[] bytes, Deadline deadline) throws InterruptedException {
      boolean sent = false;
      try {
        Attach.Written written = attach().write(ByteBuffer.wrap(bytes), deadline);
        sent = written == Attach.Written.ALL;
        if (!sent) {
          throw written == Attach.Written.TIMEOUT
              ? new EngineException(Kind.TIMEOUT, "the control shell takes no question")
              : new EngineException(Kind.BROKEN, "the control shell has ended");
        }
      } catch (IOException e) {
        throw new EngineException(Kind.BROKEN, "the control shell is lost", e);
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
        throw new EngineException(Kind.TIMEOUT, "the control shell did not answer in time", e);
      } catch (ExecutionException e) {
        throw e.getCause() instanceof EngineException failure
            ? new EngineException(failure.kind(), String.valueOf(failure.getMessage()), failure)
            : new EngineException(Kind.BROKEN, "the control shell is lost", e);
      }
    }

    /** Nothing more can be learned from this shell. */
    void giveUp(String why) {
      boolean unused = questions.fail(new EngineException(Kind.BROKEN, why));
      attach().close();
    }

    private Attach attach() {
      Attach mine = attach;
      if (mine == null) {
        throw new IllegalStateException("the shell is attached before it is used");
      }
      return mine;
    }

    @Override
    public boolean onOutput(OutputChannel channel, ByteBuffer bytes) {
      questions.feed(channel, bytes);
      return true;
    }

    @Override
    public void onEnd(Optional<Exception> failure) {
      // It may come before the stream is known here, and needs no close.
      boolean unused =
          questions.fail(new EngineException(Kind.BROKEN, "the control shell has ended"));
    }
  }
}
