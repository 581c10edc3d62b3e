package io.sandboxspi.core.session;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxEvent;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxListener;
import io.sandboxspi.core.time.Caller;
import io.sandboxspi.core.time.EngineClock;
import io.sandboxspi.core.time.Lane;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells listeners of every operation (spec S-EVT-01 to S-EVT-05). Thread-safe. */
final class SessionEvents {
  private static final Logger LOG = LoggerFactory.getLogger(SessionEvents.class);

  private final String sessionId;
  private final EngineClock clock;
  private final Lane lane;
  private final ClosingSteps closing = new ClosingSteps();
  private final List<EventFeed> feeds;
  private final Object lock = new Object();
  private long sequence;
  private final AtomicLong spans = new AtomicLong();

  /** A call with a value. */
  interface Call<T> {
    T run(Caller caller) throws InterruptedException;
  }

  /** A call without a value. */
  interface Action {
    void run(Caller caller) throws InterruptedException;
  }

  SessionEvents(String sessionId, List<SandboxListener> listeners, EngineClock clock) {
    this.sessionId = sessionId;
    this.clock = clock;
    this.lane = Lane.light("sandbox-" + sessionId + "-events");
    this.feeds = listeners.stream().map(each -> new EventFeed(each, lane, closing)).toList();
  }

  /** The closing steps that threads of this session are in. */
  ClosingSteps closing() {
    return closing;
  }

  /** Lets the threads go once what waits is delivered. */
  void retire() {
    lane.retire();
  }

  /** Makes a blocking call for the calling thread. */
  <T> T call(Operation operation, String subject, Call<T> call) throws InterruptedException {
    Span span = begin(operation, subject);
    try (Caller caller = Caller.enter(clock)) {
      try {
        T value = call.run(caller);
        span.succeeded();
        return value;
      } catch (Throwable failure) { // rethrown; the finish is told whatever it was
        span.failed(failure, caller.cancellation().filter(c -> c == failure).isPresent());
        throw failure;
      }
    }
  }

  /** As {@link #call} without a value. */
  void run(Operation operation, String subject, Action action) throws InterruptedException {
    call(
        operation,
        subject,
        caller -> {
          action.run(caller);
          return true;
        });
  }

  /** A blocking call that settles through interrupts and only sets the flag again. */
  interface Settlement {
    void run(Caller caller);
  }

  /** Makes a call that no interrupt ends. */
  void settled(Operation operation, Settlement settlement) {
    Span span = begin(operation, "");
    try (Caller caller = Caller.enter(clock)) {
      try {
        settlement.run(caller);
        span.succeeded();
      } catch (Throwable failure) { // rethrown; the finish is told whatever it was
        span.failed(failure, caller.cancellation().filter(c -> c == failure).isPresent());
        throw failure;
      }
    }
  }

  /** Makes a call that is short by nature. */
  <T> T brief(Operation operation, String subject, Supplier<T> step) {
    Span span = begin(operation, subject);
    try {
      T value = step.get();
      span.succeeded();
      return value;
    } catch (Throwable failure) { // rethrown; the finish is told whatever it was
      span.failed(failure, false);
      throw failure;
    }
  }

  /** How an operation goes on; on any thread. */
  void progress(Operation operation, String detail) {
    LOG.debug("session {}: {}: {}", sessionId, operation, detail);
    tell(number -> new SandboxEvent.Progress(sessionId, number, Instant.now(), operation, detail));
  }

  Span begin(Operation operation, String subject) {
    return new Span(operation, subject);
  }

  void retention(String processId, boolean retained, String detail) {
    LOG.warn("session {}: process {} {}", sessionId, processId, detail);
    tell(
        number ->
            new SandboxEvent.Retention(
                sessionId, number, Instant.now(), processId, retained, detail));
  }

  void pressure(int live, int limit) {
    LOG.warn("session {}: {} of {} PTYs live", sessionId, live, limit);
    tell(number -> new SandboxEvent.PtyPressure(sessionId, number, Instant.now(), live, limit));
  }

  private void tell(LongFunction<SandboxEvent> numbered) {
    if (feeds.isEmpty()) {
      return;
    }
    // Numbered and taken at once, so that the order in which listeners hear is that of the numbers.
    synchronized (lock) {
      SandboxEvent event = numbered.apply(++sequence);
      feeds.forEach(feed -> feed.add(event));
    }
    feeds.forEach(EventFeed::deliver);
  }

  /** One operation under way. */
  final class Span {
    private final long id = spans.incrementAndGet();
    private final Operation operation;
    private final String subject;
    private final long startedAt = System.nanoTime();

    private Span(Operation operation, String subject) {
      this.operation = operation;
      this.subject = subject;
      LOG.debug("session {}: {} {} begins", sessionId, operation, subject);
      tell(
          number ->
              new SandboxEvent.Started(sessionId, number, Instant.now(), id, operation, subject));
    }

    void succeeded() {
      finish(SandboxEvent.Outcome.OK, Optional.empty());
    }

    void failed(Throwable failure, boolean cancelled) {
      finish(
          cancelled ? SandboxEvent.Outcome.CANCELLED : SandboxEvent.Outcome.ERROR,
          failure instanceof SandboxException e ? Optional.of(e.code()) : Optional.empty());
    }

    private void finish(SandboxEvent.Outcome outcome, Optional<ErrorCode> error) {
      Duration duration = Duration.ofNanos(System.nanoTime() - startedAt);
      LOG.debug(
          "session {}: {} {} ended {} {} after {}",
          sessionId,
          operation,
          subject,
          outcome,
          error.map(Enum::name).orElse(""),
          duration);
      tell(
          number ->
              new SandboxEvent.Finished(
                  sessionId,
                  number,
                  Instant.now(),
                  id,
                  operation,
                  subject,
                  outcome,
                  error,
                  duration));
    }
  }
}
