package io.sandboxspi.remote.transport;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A body as a stream. About a mebibyte of it may wait for the reader, which the JDK's own stream is
 * woken for at each piece of 16 KiB. Fields without a word are guarded by the lock.
 */
final class ReadBody extends InputStream implements HttpResponse.BodySubscriber<Answer> {
  private static final int WINDOW = 64;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition came = lock.newCondition();
  private final Queue<Piece> waiting = new ArrayDeque<>();
  private Flow.@Nullable Subscription subscription;
  private @Nullable Throwable failure;
  private int owed;
  private boolean over;
  private boolean closed;

  /**
   * A buffer that is not empty.
   *
   * @param last whether it is the last one of those that came together
   */
  private record Piece(ByteBuffer bytes, boolean last) {}

  @Override
  public CompletionStage<Answer> getBody() {
    return CompletableFuture.completedFuture(new Answer.Reading(this));
  }

  @Override
  public void onSubscribe(Flow.Subscription value) {
    boolean late;
    lock.lock();
    try {
      subscription = value;
      late = closed;
    } finally {
      lock.unlock();
    }
    if (late) {
      value.cancel();
    } else {
      value.request(WINDOW);
    }
  }

  @Override
  public void onNext(List<ByteBuffer> buffers) {
    List<ByteBuffer> full = buffers.stream().filter(ByteBuffer::hasRemaining).toList();
    int more = 0;
    lock.lock();
    try {
      for (int i = 0; i < full.size() && !closed; i++) {
        waiting.add(new Piece(full.get(i), i == full.size() - 1));
      }
      if (full.isEmpty()) {
        more = owing();
      }
      came.signal();
    } finally {
      lock.unlock();
    }
    request(more);
  }

  @Override
  public void onError(Throwable thrown) {
    end(Optional.of(thrown));
  }

  @Override
  public void onComplete() {
    end(Optional.empty());
  }

  private void end(Optional<Throwable> thrown) {
    lock.lock();
    try {
      over = true;
      failure = thrown.orElse(null);
      came.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Under the lock: one more is used up; how many are to be asked for now. */
  private int owing() {
    owed++;
    if (owed < WINDOW / 2) {
      return 0;
    }
    int all = owed;
    owed = 0;
    return all;
  }

  private void request(int more) {
    Flow.Subscription from = subscription();
    if (more > 0 && from != null) {
      from.request(more);
    }
  }

  private Flow.@Nullable Subscription subscription() {
    lock.lock();
    try {
      return subscription;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] into, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    int size;
    int more = 0;
    lock.lock();
    try {
      Piece piece = await();
      if (piece == null) {
        return -1;
      }
      size = Math.min(length, piece.bytes().remaining());
      piece.bytes().get(into, offset, size);
      if (!piece.bytes().hasRemaining()) {
        waiting.remove();
        more = piece.last() ? owing() : 0;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("the read was interrupted");
    } finally {
      lock.unlock();
    }
    request(more);
    return size;
  }

  /** Under the lock; nothing at the end. */
  private @Nullable Piece await() throws IOException, InterruptedException {
    while (waiting.isEmpty() && !over && !closed) {
      came.await();
    }
    if (closed) {
      throw new IOException("closed");
    }
    if (waiting.isEmpty() && failure != null) {
      throw new IOException(failure);
    }
    return waiting.peek();
  }

  @Override
  public void close() {
    boolean early;
    lock.lock();
    try {
      early = !over && !closed;
      closed = true;
      waiting.clear();
      came.signal();
    } finally {
      lock.unlock();
    }
    Flow.Subscription from = subscription();
    if (early && from != null) {
      from.cancel();
    }
  }
}
