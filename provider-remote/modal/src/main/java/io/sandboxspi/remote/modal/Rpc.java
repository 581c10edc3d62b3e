package io.sandboxspi.remote.modal;

import com.google.common.util.concurrent.ListenableFuture;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.spi.Deadline;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Calls with one answer, again where that is safe. Thread-safe; blocks. */
final class Rpc {
  /** Gives gRPC the time to tell of its own deadline. */
  private static final long GRACE = TimeUnit.MILLISECONDS.toNanos(200);

  private static final Duration LEAST_THROTTLE = Duration.ofMillis(100);

  /** Between looks for a peer that is not there yet. */
  private static final Duration EARLY = Duration.ofMillis(250);

  private final UnaryOperator<String> hide;
  private final Optional<Duration> maxThrottleWait;

  Rpc(UnaryOperator<String> hide, Optional<Duration> maxThrottleWait) {
    this.hide = hide;
    this.maxThrottleWait = maxThrottleWait;
  }

  /**
   * How often a call that failed on its way is sent again; all attempts are one call to the vendor.
   *
   * @param attempts the first included
   * @param first pause before the second, which doubles each time
   * @param most longest pause
   * @param late whether one that had no answer in time is sent again
   */
  record Again(int attempts, Duration first, Duration most, boolean late) {
    /** As the vendor's clients do with the control plane. */
    static final Again CONTROL = new Again(4, Duration.ofMillis(100), Duration.ofSeconds(1), true);

    /** As the vendor's clients do with the router. */
    static final Again ROUTER = new Again(11, Duration.ofMillis(10), Duration.ofSeconds(5), true);

    /** Once. */
    static final Again NO = new Again(1, Duration.ZERO, Duration.ZERO, false);
  }

  /** What changes from one attempt to the next. */
  interface Attempts {
    /** The channel. */
    Channel channel();

    /**
     * Headers of an attempt.
     *
     * @param made attempts before it
     * @param throttled how many of them the vendor asked to wait after
     */
    Metadata headers(int made, int throttled, Duration elapsed);

    /** Whether a peer that cannot be reached is waited for: it may not be there yet. */
    default boolean patient() {
      return false;
    }

    /** An attempt failed before it was sent. */
    default void unreachable() {}
  }

  <Q, A> A call(
      String what,
      MethodDescriptor<Q, A> method,
      Q request,
      Attempts attempts,
      Again again,
      Deadline deadline)
      throws InterruptedException {
    long begun = System.nanoTime();
    Duration throttled = Duration.ZERO;
    int throttles = 0;
    for (int made = 0; ; ) {
      Duration elapsed = Duration.ofNanos(System.nanoTime() - begun);
      RemoteException failure;
      try {
        return once(
            what, method, request, attempts.headers(made, throttles, elapsed), attempts, deadline);
      } catch (RemoteException e) {
        failure = e;
      }
      Duration pause;
      if (failure.retryAfter().isPresent()) {
        pause = max(failure.retryAfter().get(), LEAST_THROTTLE);
        throttled = throttled.plus(pause);
        throttles++;
        if (maxThrottleWait.isPresent() && throttled.compareTo(maxThrottleWait.get()) > 0) {
          throw failure;
        }
      } else {
        boolean early = failure.kind() == Kind.UNREACHABLE && attempts.patient();
        made += early ? 0 : 1;
        boolean late = failure.kind() == Kind.TIMEOUT && !again.late();
        if (made >= again.attempts() || late || !Failures.transientOne(failure)) {
          throw failure;
        }
        if (failure.kind() == Kind.UNREACHABLE) {
          attempts.unreachable();
        }
        pause = early ? EARLY : jittered(again, made);
      }
      if (pause.compareTo(deadline.remaining()) >= 0) {
        throw failure;
      }
      boolean unused = new CountDownLatch(1).await(pause.toNanos(), TimeUnit.NANOSECONDS);
    }
  }

  private static Duration max(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? other : one;
  }

  /** Between half and the whole, so that many who failed together do not come back together. */
  static Duration jittered(Again again, int made) {
    long whole = again.first().toNanos() << Math.min(made - 1, 20);
    long limit = Math.max(2, Math.min(whole, again.most().toNanos()));
    return Duration.ofNanos(ThreadLocalRandom.current().nextLong(limit / 2, limit));
  }

  private <Q, A> A once(
      String what,
      MethodDescriptor<Q, A> method,
      Q request,
      Metadata headers,
      Attempts attempts,
      Deadline deadline)
      throws InterruptedException {
    long nanos = deadline.remainingNanos();
    if (nanos <= 0) {
      throw new RemoteException(Kind.TIMEOUT, what + ": the deadline has passed");
    }
    CallOptions options = CallOptions.DEFAULT.withDeadlineAfter(nanos, TimeUnit.NANOSECONDS);
    ClientCall<Q, A> call =
        MetadataUtils.newAttachHeadersInterceptor(headers)
            .interceptCall(method, options, attempts.channel());
    ListenableFuture<A> answer = ClientCalls.futureUnaryCall(call, request);
    boolean done = false;
    try {
      A value = answer.get(nanos + GRACE, TimeUnit.NANOSECONDS);
      done = true;
      return value;
    } catch (ExecutionException e) {
      done = true;
      if (e.getCause() instanceof StatusRuntimeException refusal) {
        throw failure(what, refusal.getStatus(), refusal.getTrailers());
      }
      throw new RemoteException(Kind.BROKEN, what + ": it failed", e);
    } catch (TimeoutException e) {
      throw new RemoteException(Kind.TIMEOUT, what + ": no answer came before the deadline", e);
    } finally {
      if (!done) {
        boolean unused = answer.cancel(true);
      }
    }
  }

  RemoteException failure(String what, Status status, @Nullable Metadata trailers) {
    return Failures.of(what, status, trailers, hide);
  }
}
