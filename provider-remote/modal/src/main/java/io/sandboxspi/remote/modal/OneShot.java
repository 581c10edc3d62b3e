package io.sandboxspi.remote.modal;

import io.sandboxspi.ExitStatus;
import io.sandboxspi.remote.shell.Output;
import io.sandboxspi.remote.shell.Running;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.OutputChannel;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A short command of our own: its output is kept, as far as it is needed. */
final class OneShot implements Output {
  private static final int LIMIT = 64 * 1024;
  private static final int CHUNK = 1 << 20;

  private final ByteArrayOutputStream text = new ByteArrayOutputStream();
  private final CompletableFuture<End> end = new CompletableFuture<>();

  private OneShot() {}

  /** What it printed to standard output; it must end with 0. */
  static String run(ModalMachine machine, String script, Deadline deadline)
      throws InterruptedException {
    OneShot mine = new OneShot();
    Running running = machine.command(script, Map.of(), mine, deadline);
    try {
      return mine.await(deadline);
    } finally {
      running.close();
    }
  }

  /** Gives it a content as input. */
  static void feed(ModalMachine machine, String script, InputStream content, Deadline deadline)
      throws InterruptedException {
    OneShot mine = new OneShot();
    Running running = machine.command(script, Map.of(), mine, deadline);
    boolean done = false;
    try {
      byte[] chunk = new byte[CHUNK];
      for (int n = content.readNBytes(chunk, 0, CHUNK);
          n > 0;
          n = content.readNBytes(chunk, 0, CHUNK)) {
        running.write(ByteBuffer.wrap(chunk, 0, n), deadline);
      }
      running.closeInput(deadline);
      String unused = mine.await(deadline);
      done = true;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (io.sandboxspi.spi.InputClosedException e) {
      String said = mine.await(deadline);
      throw new RemoteException(Kind.BROKEN, "the sandbox took not all of the content: " + said, e);
    } finally {
      running.close();
      if (!done) {
        machine.discard(running);
      }
    }
  }

  private String await(Deadline deadline) throws InterruptedException {
    try {
      End how = end.get(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
      if (how.broken().isPresent()) {
        throw how.broken().get();
      }
      String said;
      synchronized (text) {
        said = text.toString(StandardCharsets.UTF_8);
      }
      if (!how.status().equals(Optional.of(new ExitStatus.Exited(0)))) {
        throw RemoteException.refused(
            500,
            "failed",
            "",
            Optional.empty(),
            "a command in the sandbox failed: " + how.status());
      }
      return said;
    } catch (TimeoutException e) {
      throw new RemoteException(Kind.TIMEOUT, "a command in the sandbox took too long", e);
    } catch (ExecutionException e) {
      throw new RemoteException(Kind.BROKEN, "a command in the sandbox failed", e);
    }
  }

  @Override
  public boolean onOutput(OutputChannel channel, ByteBuffer bytes) {
    synchronized (text) {
      while (channel == OutputChannel.STDOUT && bytes.hasRemaining() && text.size() < LIMIT) {
        text.write(bytes.get());
      }
    }
    bytes.position(bytes.limit());
    return true;
  }

  @Override
  public void onEnd(End how) {
    end.complete(how);
  }
}
