package io.sandboxspi.remote.modal;

import com.google.protobuf.ByteString;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import io.sandboxspi.core.time.EngineClock;
import io.sandboxspi.remote.modal.wire.TaskExecStdioFileDescriptor;
import io.sandboxspi.remote.modal.wire.TaskExecStdioReadRequest;
import io.sandboxspi.remote.modal.wire.TaskExecStdioReadResponse;
import io.sandboxspi.remote.transport.ConnectCode;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.Serial;
import io.sandboxspi.spi.Deadline;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One output of one process, from its first byte to its last. The router keeps all output: a stream
 * that breaks is opened again where it broke, and one that nobody reads is closed and opened again
 * later, so that it does not fill the connection. All fields are of {@link #serial}.
 */
final class StdioReader {
  private static final Logger LOG = LoggerFactory.getLogger(StdioReader.class);
  private static final int MOST_TRIES = 10;
  private static final Duration RENEWAL = Duration.ofSeconds(20);

  private final Router router;
  private final String exec;
  private final TaskExecStdioFileDescriptor descriptor;
  private final boolean control;
  private final Serial serial;
  private final Executor executor;
  private final Sink sink;

  private @Nullable ClientCall<TaskExecStdioReadRequest, TaskExecStdioReadResponse> call;
  private int generation;
  private long offset;
  private int tries;
  private boolean renewed;
  private boolean paused;
  private boolean over;

  /** Told what comes, in the serial. */
  interface Sink {
    /** Whether it takes bytes now; otherwise they are read again later. */
    boolean ready();

    /** Takes bytes; whether to go on. */
    boolean onBytes(ByteBuffer bytes);

    /** Nothing more comes. */
    void onEnd(Optional<RemoteException> broken);
  }

  StdioReader(
      Router router,
      String exec,
      TaskExecStdioFileDescriptor descriptor,
      boolean control,
      Serial serial,
      Executor executor,
      Sink sink) {
    this.router = router;
    this.exec = exec;
    this.descriptor = descriptor;
    this.control = control;
    this.serial = serial;
    this.executor = executor;
    this.sink = sink;
  }

  /** Opens the stream at the place that was reached. */
  void open() {
    serial.execute(this::reopen);
  }

  private void reopen() {
    if (over) {
      return;
    }
    int mine = ++generation;
    Router.Link link = router.linked();
    ClientCall<TaskExecStdioReadRequest, TaskExecStdioReadResponse> opened =
        router.stdio(link, control);
    call = opened;
    opened.start(
        new ClientCall.Listener<>() {
          @Override
          public void onMessage(TaskExecStdioReadResponse message) {
            serial.execute(() -> take(mine, message.getData()));
          }

          @Override
          public void onClose(Status status, Metadata trailers) {
            serial.execute(() -> ended(mine, link, status, trailers));
          }
        },
        new Metadata());
    opened.sendMessage(
        TaskExecStdioReadRequest.newBuilder()
            .setTaskId(link.task())
            .setExecId(exec)
            .setOffset(offset)
            .setFileDescriptor(descriptor)
            .build());
    opened.halfClose();
    opened.request(1);
  }

  private void take(int from, ByteString data) {
    ClientCall<TaskExecStdioReadRequest, TaskExecStdioReadResponse> open = call;
    if (from != generation || over || open == null) {
      return;
    }
    boolean more = sink.ready();
    if (more) {
      offset += data.size();
      tries = 0;
      renewed = false;
      more = sink.onBytes(data.asReadOnlyByteBuffer());
    }
    if (more) {
      open.request(1);
    } else if (!over) {
      paused = true;
      drop();
    }
  }

  private void drop() {
    generation++;
    ClientCall<TaskExecStdioReadRequest, TaskExecStdioReadResponse> open = call;
    call = null;
    if (open != null) {
      open.cancel("it is not read now", null);
    }
  }

  private void ended(int from, Router.Link link, Status status, Metadata trailers) {
    if (from != generation || over) {
      return;
    }
    if (status.isOk()) {
      over = true;
      sink.onEnd(Optional.empty());
      return;
    }
    RemoteException failure = router.rpc().failure("reading output", status, trailers);
    if (router.isClosed()) {
      finish(failure);
    } else if (Failures.refused(failure, ConnectCode.UNAUTHENTICATED) && !renewed) {
      renewed = true;
      executor.execute(() -> renew(link));
    } else if ((Failures.transientOne(failure) || failure.retryAfter().isPresent())
        && tries < MOST_TRIES) {
      tries++;
      Duration pause = failure.retryAfter().orElseGet(() -> Rpc.jittered(Rpc.Again.ROUTER, tries));
      var unused =
          EngineClock.system()
              .schedule(pause, () -> executor.execute(() -> serial.execute(() -> again(from))));
    } else {
      finish(failure);
    }
  }

  private void again(int from) {
    if (from == generation) {
      reopen();
    }
  }

  private void finish(RemoteException failure) {
    if (!over) {
      LOG.debug("output of {} is not read any more", exec, failure);
      over = true;
      sink.onEnd(Optional.of(failure));
    }
  }

  /** On a thread that may block. */
  private void renew(Router.Link refused) {
    try {
      router.renew(refused, Deadline.after(RENEWAL));
      serial.execute(this::reopen);
    } catch (RemoteException e) {
      serial.execute(() -> finish(e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Goes on after the sink took no more. In the serial. */
  void resume() {
    if (paused && !over) {
      paused = false;
      reopen();
    }
  }

  /** Lets go of the stream. In the serial. */
  void close() {
    over = true;
    drop();
  }
}
