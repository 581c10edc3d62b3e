package io.sandboxspi.remote.blaxel;

import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.InputClosedException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * What is typed into a terminal: text, as the vendor takes nothing else. A connection takes more
 * than the program does, so only so much is sent ahead of what was written to the terminal.
 */
final class TerminalInput implements Input {
  private static final int MESSAGE = 8 * 1024;
  private static final int AHEAD = 6;

  private final Terminal terminal;
  private final Semaphore turn = new Semaphore(1, true);

  // Of the writer whose turn it is.
  private final CharsetDecoder decoder =
      StandardCharsets.UTF_8
          .newDecoder()
          .onMalformedInput(CodingErrorAction.REPORT)
          .onUnmappableCharacter(CodingErrorAction.REPORT);
  private ByteBuffer begun = ByteBuffer.allocate(0);
  private final Queue<CompletableFuture<Boolean>> sent = new ArrayDeque<>();
  private volatile boolean over;

  TerminalInput(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public void write(ByteBuffer bytes, Deadline deadline)
      throws InterruptedException, InputClosedException {
    if (!turn.tryAcquire(deadline.remainingNanos(), TimeUnit.NANOSECONDS)) {
      throw new RemoteException(Kind.TIMEOUT, "an earlier write is not done");
    }
    try {
      String text = decoded(bytes);
      for (int from = 0; from < text.length(); ) {
        int to = Math.min(text.length(), from + MESSAGE);
        if (to < text.length() && Character.isHighSurrogate(text.charAt(to - 1))) {
          to--;
        }
        awaitRoom(deadline);
        send(text.substring(from, to), deadline);
        from = to;
      }
    } finally {
      turn.release();
    }
  }

  /** A character may come in two writes. */
  private String decoded(ByteBuffer bytes) {
    ByteBuffer all = ByteBuffer.allocate(begun.remaining() + bytes.remaining());
    all.put(begun.duplicate()).put(bytes).flip();
    CharBuffer text = CharBuffer.allocate(all.remaining());
    CoderResult result = decoder.reset().decode(all, text, false);
    begun = ByteBuffer.allocate(0);
    if (result.isError()) {
      throw new RemoteException(
          Kind.MALFORMED, "the vendor's terminals take UTF-8 only, and the input is none");
    }
    begun = ByteBuffer.allocate(all.remaining()).put(all).flip();
    return text.flip().toString();
  }

  private void awaitRoom(Deadline deadline) throws InterruptedException, InputClosedException {
    while (!sent.isEmpty() && (sent.element().isDone() || sent.size() >= AHEAD)) {
      try {
        boolean unused = sent.element().get(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
      } catch (TimeoutException e) {
        throw new RemoteException(Kind.TIMEOUT, "the program does not take its input", e);
      } catch (ExecutionException e) {
        if (over) {
          throw new InputClosedException("the process has ended");
        }
      }
      sent.remove();
    }
  }

  private void send(String text, Deadline deadline)
      throws InterruptedException, InputClosedException {
    if (over) {
      throw new InputClosedException("the process has ended");
    }
    try {
      terminal.send(text, deadline);
      if (text.length() >= MESSAGE / 2) {
        sent.add(terminal.taken(deadline));
      }
    } catch (RemoteException e) {
      if (over && e.kind() != Kind.TIMEOUT) {
        throw new InputClosedException("the process has ended");
      }
      throw e;
    }
  }

  @Override
  public void close(Deadline deadline) {
    // A terminal's input has no end.
  }

  @Override
  public void over() {
    over = true;
  }
}
