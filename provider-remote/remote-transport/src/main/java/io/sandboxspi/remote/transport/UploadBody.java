package io.sandboxspi.remote.transport;

import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpRequest;
import java.nio.ByteBuffer;
import java.util.concurrent.Flow;

/**
 * Content that is read while it is sent, in larger pieces than the JDK's own: each piece costs it
 * some changes of threads. For one request.
 */
final class UploadBody implements HttpRequest.BodyPublisher {
  private static final int PIECE = 128 * 1024;

  private final InputStream content;

  UploadBody(InputStream content) {
    this.content = content;
  }

  @Override
  public long contentLength() {
    return -1;
  }

  @Override
  public void subscribe(Flow.Subscriber<? super ByteBuffer> subscriber) {
    subscriber.onSubscribe(new Reading(subscriber));
  }

  private final class Reading implements Flow.Subscription {
    private final Flow.Subscriber<? super ByteBuffer> subscriber;
    private final Serial serial = new Serial();
    private volatile boolean over;

    Reading(Flow.Subscriber<? super ByteBuffer> subscriber) {
      this.subscriber = subscriber;
    }

    @Override
    public void request(long pieces) {
      serial.execute(
          () -> {
            for (long left = pieces; left > 0 && !over; left--) {
              next();
            }
          });
    }

    private void next() {
      byte[] piece = new byte[PIECE];
      int size;
      try {
        size = content.read(piece, 0, piece.length);
      } catch (IOException | RuntimeException e) {
        over = true;
        subscriber.onError(e);
        return;
      }
      if (size < 0) {
        over = true;
        subscriber.onComplete();
      } else if (!over) {
        subscriber.onNext(ByteBuffer.wrap(piece, 0, size));
      }
    }

    @Override
    public void cancel() {
      over = true;
    }
  }
}
