package io.sandboxspi.remote.e2b;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.TerminalSize;
import io.sandboxspi.core.time.EngineClock;
import io.sandboxspi.remote.shell.Output;
import io.sandboxspi.remote.shell.Running;
import io.sandboxspi.remote.transport.ConnectCode;
import io.sandboxspi.remote.transport.ConnectFrames;
import io.sandboxspi.remote.transport.Json;
import io.sandboxspi.remote.transport.OpenStream;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.remote.transport.Repeat;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.InputClosedException;
import io.sandboxspi.spi.OutputChannel;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A process as the daemon shows it. The stream of a terminal that breaks is opened again, a few
 * times; what was printed meanwhile is lost on this wire, and a mark stands in its place. With
 * pipes a broken stream is the end: their output would seem to be whole.
 */
final class EnvdProcess implements Running, ConnectFrames.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(EnvdProcess.class);
  private static final int INPUT_CHUNK = 96 * 1024;
  private static final int REOPENINGS = 4;
  private static final Duration REOPENING = Duration.ofSeconds(5);
  private static final byte[] GAP =
      "\r\n[the connection broke; output may be missing]\r\n".getBytes(StandardCharsets.US_ASCII);

  private final Envd envd;
  private final Output output;
  private final boolean terminal;
  private final Executor executor;
  private final CompletableFuture<Long> pid = new CompletableFuture<>();
  private final Semaphore turn = new Semaphore(1, true);
  private volatile @Nullable OpenStream stream;
  private volatile boolean closed;
  private volatile boolean over;
  private boolean reopened;

  EnvdProcess(Envd envd, Output output, boolean terminal, Executor executor) {
    this.envd = envd;
    this.output = output;
    this.terminal = terminal;
    this.executor = executor;
  }

  /** Starts it, and waits for its number. */
  void start(ObjectNode request, Deadline deadline) throws InterruptedException {
    boolean done = false;
    try {
      attach(envd.stream("Start", request, this, deadline));
      long unused = pid.get(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
      done = true;
    } catch (TimeoutException e) {
      throw new RemoteException(Kind.TIMEOUT, "the daemon did not start the process in time", e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RemoteException failure
          ? failure
          : new RemoteException(Kind.BROKEN, "the process was not started", e);
    } finally {
      if (!done) {
        close();
      }
    }
  }

  private void attach(OpenStream opened) {
    stream = opened;
    if (closed) {
      opened.close();
    }
  }

  @Override
  public boolean onMessage(ObjectNode message) {
    JsonNode event = message.path("event");
    if (event.has("start")) {
      long number = event.path("start").path("pid").asLong(0);
      boolean first = pid.complete(number);
      if (!first && reopened) {
        reopened = false;
        return output.onOutput(OutputChannel.STDOUT, ByteBuffer.wrap(GAP));
      }
      return true;
    }
    if (event.has("data") && !over) {
      JsonNode data = event.path("data");
      return data.has("stderr")
          ? output.onOutput(OutputChannel.STDERR, bytes(data.path("stderr")))
          : output.onOutput(OutputChannel.STDOUT, bytes(data.path(terminal ? "pty" : "stdout")));
    }
    if (event.has("end") && !over) {
      over = true;
      output.onEnd(new Output.End(EnvdStatus.read(event.path("end")), Optional.empty()));
    }
    return true;
  }

  private static ByteBuffer bytes(JsonNode text) {
    try {
      return ByteBuffer.wrap(Base64.getDecoder().decode(text.asText("")));
    } catch (IllegalArgumentException e) {
      throw new RemoteException(Kind.MALFORMED, "the daemon sent output that cannot be read");
    }
  }

  @Override
  public void onEnd(Optional<RemoteException> failure) {
    RemoteException why =
        failure.orElseGet(
            () -> new RemoteException(Kind.BROKEN, "the stream ended before the process"));
    boolean started = pid.isDone() && !pid.isCompletedExceptionally();
    pid.completeExceptionally(why);
    if (over || closed) {
      return;
    }
    if (started && terminal) {
      executor.execute(() -> reopen(1, why));
    } else if (started) {
      lost(why);
    }
  }

  private void lost(RemoteException why) {
    if (!over && !closed) {
      over = true;
      output.onEnd(Output.End.broken(why));
    }
  }

  /** On a thread of its own; one stream has ended, and no other is open. */
  private void reopen(int attempt, RemoteException why) {
    if (closed || over) {
      return;
    }
    ObjectNode request = Json.object();
    request.set("process", selector());
    try {
      reopened = true;
      attach(envd.stream("Connect", request, this, Deadline.after(REOPENING)));
      LOG.debug("a terminal's stream was opened again after: {}", why.getMessage());
    } catch (RemoteException e) {
      reopened = false;
      boolean hopeless = e.kind() == Kind.REFUSED && !e.refusedWith(502) && !e.refusedWith(503);
      if (attempt >= REOPENINGS || hopeless) {
        why.addSuppressed(e);
        lost(why);
      } else {
        var unused =
            EngineClock.system()
                .schedule(
                    Duration.ofMillis(250L << attempt),
                    () -> executor.execute(() -> reopen(attempt + 1, why)));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      lost(why);
    }
  }

  private ObjectNode selector() {
    return Json.object().put("pid", pid.join());
  }

  @Override
  public void write(ByteBuffer bytes, Deadline deadline)
      throws InterruptedException, InputClosedException {
    if (!turn.tryAcquire(deadline.remainingNanos(), TimeUnit.NANOSECONDS)) {
      throw new RemoteException(Kind.TIMEOUT, "the input was not taken before the deadline");
    }
    try {
      while (bytes.hasRemaining()) {
        byte[] chunk = new byte[Math.min(INPUT_CHUNK, bytes.remaining())];
        bytes.get(chunk);
        send(chunk, deadline);
      }
    } finally {
      turn.release();
    }
  }

  private void send(byte[] chunk, Deadline deadline)
      throws InterruptedException, InputClosedException {
    ObjectNode request = Json.object();
    request.set("process", selector());
    request
        .putObject("input")
        .put(terminal ? "pty" : "stdin", Base64.getEncoder().encodeToString(chunk));
    Arrays.fill(chunk, (byte) 0);
    try {
      Object unused = envd.unary("SendInput", request, Repeat.NEVER, deadline);
    } catch (RemoteException e) {
      // The daemon's own word: a page of a proxy says nothing of the process.
      boolean ended =
          e.code().equals(ConnectCode.NOT_FOUND) || e.code().equals(ConnectCode.INTERNAL);
      if (!ended) {
        throw e;
      }
      InputClosedException gone = new InputClosedException("the process takes no more input");
      gone.initCause(e);
      throw gone;
    }
  }

  /** Calls a method on it; one that has ended is fine. */
  private void tell(String method, ObjectNode request, Deadline deadline)
      throws InterruptedException {
    if (over) {
      return;
    }
    request.set("process", selector());
    try {
      Object unused = envd.unary(method, request, Repeat.ALWAYS, deadline);
    } catch (RemoteException e) {
      ended(e);
    }
  }

  /** That the process is not there is no failure. */
  private static void ended(RemoteException e) {
    if (!e.code().equals(ConnectCode.NOT_FOUND)) {
      throw e;
    }
  }

  @Override
  public void closeInput(Deadline deadline) throws InterruptedException {
    tell("CloseStdin", Json.object(), deadline);
  }

  @Override
  public void resize(TerminalSize size, Deadline deadline) throws InterruptedException {
    ObjectNode request = Json.object();
    request.putObject("pty").set("size", size(size));
    tell("Update", request, deadline);
  }

  static ObjectNode size(TerminalSize size) {
    return Json.object().put("cols", size.columns()).put("rows", size.rows());
  }

  @Override
  public void end(Deadline deadline) throws InterruptedException {
    if (over) {
      return;
    }
    ObjectNode request = Json.object().put("signal", "SIGNAL_SIGKILL");
    request.set("process", selector());
    try {
      Object unused = envd.once("SendSignal", request, Repeat.NEVER, deadline);
    } catch (RemoteException e) {
      ended(e);
    }
  }

  @Override
  public void resume() {
    OpenStream open = stream;
    if (open != null) {
      open.resume();
    }
  }

  @Override
  public void close() {
    closed = true;
    OpenStream open = stream;
    if (open != null) {
      open.close();
    }
  }
}
