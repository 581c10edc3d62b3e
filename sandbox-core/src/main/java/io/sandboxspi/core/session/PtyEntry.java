package io.sandboxspi.core.session;

import io.sandboxspi.ExitStatus;
import io.sandboxspi.PtyEndReason;
import io.sandboxspi.PtyExit;
import io.sandboxspi.PtyInfo;
import io.sandboxspi.PtyRequest;
import io.sandboxspi.Registration;
import io.sandboxspi.core.output.BoundedPipe;
import io.sandboxspi.core.output.HeadTailBuffer;
import io.sandboxspi.core.output.Utf8Stream;
import io.sandboxspi.core.time.EngineClock;
import io.sandboxspi.core.time.LaneTask;
import io.sandboxspi.spi.OutputChannel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A PTY: its output between updates, its turns and its end. */
final class PtyEntry extends ProcessEntry {
  private final EngineClock clock;
  private final long startedAt;
  private final boolean hasTerminal;
  private final HeadTailBuffer buffer = new HeadTailBuffer();
  private final Utf8Stream decoder = new Utf8Stream();
  private final Turns turns = new Turns();
  private final List<Consumer<PtyExit>> exitListeners = new ArrayList<>();
  private long outputEvents;
  private long lastOutputAt;
  private int ptyId;
  private boolean collected;
  private boolean endTold;
  private boolean outputOver;
  private long notRead;
  private final AtomicBoolean resumed = new AtomicBoolean();
  private @Nullable BoundedPipe attached;
  private @Nullable LaneTask<?> lastWrite;

  PtyEntry(PtyRequest request, Owner owner, EngineClock clock) {
    super(request.argv().get(0), owner);
    this.clock = clock;
    this.startedAt = clock.nanoTime();
    this.lastOutputAt = startedAt;
    this.hasTerminal = request.terminal().isPresent();
  }

  boolean hasTerminal() {
    return hasTerminal;
  }

  Turns turns() {
    return turns;
  }

  /** 0 until it is in the registry. */
  int ptyId() {
    synchronized (lock) {
      return ptyId;
    }
  }

  void registered(int id) {
    synchronized (lock) {
      ptyId = id;
    }
  }

  @Override
  boolean store(OutputChannel channel, ByteBuffer bytes) {
    outputEvents++;
    lastOutputAt = clock.nanoTime();
    if (attached != null) {
      return attached.offer(bytes);
    }
    buffer.append(bytes);
    return true;
  }

  @Override
  void outputEnded(boolean complete) {
    outputOver = true;
    if (attached != null) {
      attached.end();
    }
    // What was stored and not attached to stays for the final update.
  }

  private void resume() {
    resumed.set(true);
    resumeOutput();
  }

  /** From a reader's catching up on the backend has the whole drain bound for the rest. */
  @Override
  boolean backlogged() {
    boolean lately = resumed.getAndSet(false);
    synchronized (lock) {
      return lately || (attached != null && attached.isPaused());
    }
  }

  /** Sends output to a pipe from now on, what was not taken yet first; empty if one is attached. */
  Optional<BoundedPipe> attach() {
    synchronized (lock) {
      if (attached != null || collected) {
        return Optional.empty();
      }
      BoundedPipe pipe = new BoundedPipe(this::resume);
      var drained = buffer.drain();
      pipe.offer(ByteBuffer.wrap(decoder.takeHeld()));
      pipe.offer(ByteBuffer.wrap(drained.head()));
      pipe.offer(ByteBuffer.wrap(drained.tail()));
      notRead += drained.dropped();
      if (outputOver) {
        pipe.end();
      }
      attached = pipe;
      return Optional.of(pipe);
    }
  }

  /** Keeps output again; what the pipe's reader left counts as dropped. */
  void detach(BoundedPipe pipe) throws IOException {
    synchronized (lock) {
      if (attached != pipe) {
        return;
      }
      attached = null;
    }
    pipe.input().close();
    synchronized (lock) {
      notRead += pipe.discarded();
    }
  }

  @Override
  void cleanupSettled(Optional<Throwable> failure) {
    wakeWatchers();
  }

  /** How often output came; with {@link #lastOutputAt()} this tells silence. */
  long outputEvents() {
    synchronized (lock) {
      return outputEvents;
    }
  }

  boolean hasUndelivered() {
    synchronized (lock) {
      return !buffer.isEmpty();
    }
  }

  long lastOutputAt() {
    synchronized (lock) {
      return lastOutputAt;
    }
  }

  /**
   * New text and what was dropped.
   *
   * @param text decoded, with a mark where bytes were dropped
   */
  record Taken(String text, long dropped, boolean last) {}

  /**
   * Takes the output that was not taken yet, once.
   *
   * @param last whether nothing follows: the decoder is flushed and the entry counts as collected
   * @return empty when another call has taken the last part
   */
  Optional<Taken> take(boolean last) {
    synchronized (lock) {
      if (collected) {
        return Optional.empty();
      }
      var drained = buffer.drain();
      String text = drained.text(decoder);
      long dropped = drained.dropped() + notRead;
      notRead = 0;
      if (last) {
        collected = true;
        text += decoder.finish();
      }
      return Optional.of(new Taken(text, dropped, last));
    }
  }

  boolean collected() {
    synchronized (lock) {
      return collected;
    }
  }

  /** Why it ended, once it has. */
  PtyEndReason endReason() {
    if (killed()) {
      return PtyEndReason.KILLED;
    }
    return exit().filter(ExitStatus.Lost.class::isInstance).isPresent()
        ? PtyEndReason.LOST
        : PtyEndReason.EXITED;
  }

  PtyInfo info(int id) {
    return new PtyInfo(
        id, program(), hasTerminal, Duration.ofNanos(clock.nanoTime() - startedAt), exit());
  }

  /** Adds a listener; false if the end was told already. */
  boolean addExitListener(Consumer<PtyExit> listener) {
    synchronized (lock) {
      if (endTold) {
        return false;
      }
      exitListeners.add(listener);
      return true;
    }
  }

  Registration exitRegistration(Consumer<PtyExit> listener) {
    return () -> {
      synchronized (lock) {
        exitListeners.remove(listener);
      }
    };
  }

  /** The listeners to tell of the end; empty the second time. */
  List<Consumer<PtyExit>> tellEnd() {
    synchronized (lock) {
      if (endTold) {
        return List.of();
      }
      endTold = true;
      List<Consumer<PtyExit>> toTell = new ArrayList<>(exitListeners);
      exitListeners.clear();
      return toTell;
    }
  }

  PtyExit end() {
    return new PtyExit(ptyId(), endReason(), exit());
  }

  /** The write before, which may be stuck; a new one waits for it. */
  Optional<LaneTask<?>> lastWrite() {
    synchronized (lock) {
      return Optional.ofNullable(lastWrite);
    }
  }

  void lastWrite(LaneTask<?> write) {
    synchronized (lock) {
      lastWrite = write;
    }
  }
}
