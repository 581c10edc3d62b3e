package io.sandboxspi.remote.transport;

import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.spi.Deadline;
import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** A body that is kept, up to a limit. */
final class WholeBody implements HttpResponse.BodySubscriber<Answer> {
  private final HttpCall call;
  private final long limit;
  private final boolean cut;
  private final Deadline deadline;
  private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
  private final CompletableFuture<Answer> done = new CompletableFuture<>();
  private volatile Flow.@Nullable Subscription subscription;

  /**
   * For one answer.
   *
   * @param cut whether what is too long is cut, instead of a failure
   * @param deadline for all of it
   */
  WholeBody(HttpCall call, long limit, boolean cut, Deadline deadline) {
    this.call = call;
    this.limit = limit;
    this.cut = cut;
    this.deadline = deadline;
  }

  @Override
  public CompletionStage<Answer> getBody() {
    return done;
  }

  @Override
  public void onSubscribe(Flow.Subscription value) {
    subscription = value;
    LateBodies.watch(this);
    value.request(Long.MAX_VALUE);
  }

  /** Gives it up when its time is over; whether it needs no more watching. */
  boolean over() {
    if (done.isDone()) {
      return true;
    }
    if (!deadline.expired()) {
      return false;
    }
    cancel();
    boolean unused = done.completeExceptionally(Failures.timeout(call));
    return true;
  }

  private void cancel() {
    Flow.Subscription mine = subscription;
    if (mine != null) {
      mine.cancel();
    }
  }

  @Override
  public void onNext(List<ByteBuffer> buffers) {
    for (ByteBuffer buffer : buffers) {
      int room = (int) Math.min(buffer.remaining(), limit - kept.size());
      byte[] bytes = new byte[room];
      buffer.get(bytes);
      kept.writeBytes(bytes);
      if (buffer.hasRemaining() && !done.isDone()) {
        cancel();
        if (cut) {
          onComplete();
        } else {
          onError(
              new RemoteException(
                  Kind.TOO_LARGE, call.what() + ": the answer is longer than " + limit + " bytes"));
        }
      }
    }
  }

  @Override
  public void onError(Throwable failure) {
    LateBodies.forget(this);
    boolean unused = done.completeExceptionally(Failures.of(call, failure));
  }

  @Override
  public void onComplete() {
    LateBodies.forget(this);
    boolean unused = done.complete(new Answer.Whole(kept.toByteArray()));
  }
}
