package io.sandboxspi.remote.transport;

import io.sandboxspi.remote.transport.RemoteException.Kind;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A body that is handed over as it comes. Fields without a word are of {@link #serial}. */
final class StreamBody implements HttpResponse.BodySubscriber<Answer>, OpenStream {
  private final HttpCall call;
  private final StreamListener listener;
  private final Executor executor;
  private final IdleWatch watch;
  private final Serial serial = new Serial();
  private final Queue<ByteBuffer> held = new ArrayDeque<>();
  private Flow.@Nullable Subscription subscription;
  private boolean paused;
  private boolean ended;
  private @Nullable Optional<RemoteException> ending;
  private volatile boolean closed;
  // Counts when it comes while the listener answers that it has had enough, or later.
  private final AtomicBoolean resumed = new AtomicBoolean();

  StreamBody(HttpCall call, StreamListener listener, Duration idle, Executor executor) {
    this.call = call;
    this.listener = listener;
    this.executor = executor;
    this.watch =
        new IdleWatch(
            idle,
            () ->
                later(
                    new RemoteException(
                        Kind.STALLED,
                        call.what() + ": nothing came for " + idle.toSeconds() + " s")));
  }

  @Override
  public CompletionStage<Answer> getBody() {
    return CompletableFuture.completedFuture(new Answer.Streaming(this));
  }

  @Override
  public void onSubscribe(Flow.Subscription value) {
    serial.execute(
        () -> {
          subscription = value;
          if (closed || ended) {
            value.cancel();
          } else {
            value.request(1);
          }
        });
  }

  @Override
  public void onNext(List<ByteBuffer> buffers) {
    watch.touch();
    serial.execute(
        () -> {
          held.addAll(buffers);
          if (!paused) {
            deliver();
          }
        });
  }

  @Override
  public void onComplete() {
    finish(Optional.empty());
  }

  @Override
  public void onError(Throwable failure) {
    finish(Optional.of(Failures.of(call, failure)));
  }

  /** What is held comes before the end. */
  private void finish(Optional<RemoteException> failure) {
    watch.close();
    serial.execute(
        () -> {
          ending = failure;
          if (!paused) {
            deliver();
          }
        });
  }

  private void later(RemoteException failure) {
    executor.execute(() -> serial.execute(() -> fail(failure)));
  }

  private void deliver() {
    while (!held.isEmpty() && !ended && !closed) {
      ByteBuffer next = held.element();
      resumed.set(false);
      boolean more;
      try {
        more = listener.onBytes(next);
      } catch (RemoteException wrong) {
        fail(wrong);
        return;
      } catch (RuntimeException | Error defect) {
        fail(new RemoteException(Kind.MALFORMED, call.what() + ": it cannot be read", defect));
        return;
      }
      if (!next.hasRemaining()) {
        held.remove();
      }
      if (!more && !resumed.getAndSet(false)) {
        paused = true;
        watch.suspend(true);
        return;
      }
    }
    Optional<RemoteException> last = ending;
    if (last != null) {
      tell(last);
    } else if (subscription != null && !ended && !closed) {
      subscription.request(1);
    }
  }

  private void fail(RemoteException failure) {
    held.clear();
    cancel();
    tell(Optional.of(failure));
  }

  private void tell(Optional<RemoteException> failure) {
    watch.close();
    if (!ended && !closed) {
      ended = true;
      listener.onEnd(failure);
    }
  }

  private void cancel() {
    if (subscription != null) {
      subscription.cancel();
    }
  }

  @Override
  public void resume() {
    resumed.set(true);
    serial.execute(
        () -> {
          if (resumed.getAndSet(false) && paused) {
            paused = false;
            watch.suspend(false);
            deliver();
          }
        });
  }

  @Override
  public void close() {
    closed = true;
    watch.close();
    serial.execute(
        () -> {
          held.clear();
          cancel();
        });
  }
}
