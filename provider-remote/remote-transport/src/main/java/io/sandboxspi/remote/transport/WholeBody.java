package io.sandboxspi.remote.transport;

import io.sandboxspi.remote.transport.RemoteException.Kind;
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
  private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
  private final CompletableFuture<Answer> done = new CompletableFuture<>();
  private Flow.@Nullable Subscription subscription;

  /**
   * For one answer.
   *
   * @param cut whether what is too long is cut, instead of a failure
   */
  WholeBody(HttpCall call, long limit, boolean cut) {
    this.call = call;
    this.limit = limit;
    this.cut = cut;
  }

  @Override
  public CompletionStage<Answer> getBody() {
    return done;
  }

  @Override
  public void onSubscribe(Flow.Subscription value) {
    subscription = value;
    value.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(List<ByteBuffer> buffers) {
    for (ByteBuffer buffer : buffers) {
      int room = (int) Math.min(buffer.remaining(), limit - kept.size());
      byte[] bytes = new byte[room];
      buffer.get(bytes);
      kept.writeBytes(bytes);
      if (buffer.hasRemaining() && !done.isDone()) {
        if (subscription != null) {
          subscription.cancel();
        }
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
    boolean unused = done.completeExceptionally(Failures.of(call, failure));
  }

  @Override
  public void onComplete() {
    boolean unused = done.complete(new Answer.Whole(kept.toByteArray()));
  }
}
