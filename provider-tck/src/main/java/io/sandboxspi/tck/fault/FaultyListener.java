package io.sandboxspi.tck.fault;

import io.sandboxspi.ExitStatus;
import io.sandboxspi.spi.OutputChannel;
import io.sandboxspi.spi.ProcessListener;
import io.sandboxspi.spi.SandboxProcess;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Stands between a real process and the engine's listener: splits, holds and loses events, and
 * still calls the engine one call at a time (spec S-SPI-05).
 */
final class FaultyListener implements ProcessListener {
  private record Chunk(OutputChannel channel, byte[] bytes) {}

  private final String tag;
  private final ProcessListener engine;
  private final FaultySeam seam;
  // Reentrant: the engine may resume output from inside a callback.
  private final ReentrantLock delivery = new ReentrantLock();
  private final Deque<Chunk> queue = new ArrayDeque<>();
  private @Nullable Gate hold;
  private boolean full;
  private boolean starved;
  private boolean closeSeen;
  private boolean closeGiven;
  private boolean exitGiven;
  private volatile boolean lost;
  private volatile boolean muted;
  private volatile @Nullable SandboxProcess process;

  FaultyListener(String tag, ProcessListener engine, FaultySeam seam) {
    this.tag = tag;
    this.engine = engine;
    this.seam = seam;
  }

  void attach(SandboxProcess value) {
    process = value;
  }

  @Override
  public boolean onOutput(OutputChannel channel, ByteBuffer bytes) {
    byte[] chunk = new byte[bytes.remaining()];
    bytes.get(chunk);
    Optional<FaultPlan.Match> match = seam.meet(FaultPoint.OUT_CHUNK, tag, "");
    FaultAction action = match.map(FaultPlan.Match::action).orElse(null);
    if (action instanceof FaultAction.Drop) {
      lose();
      return true;
    }
    if (action instanceof FaultAction.Block block) {
      block.gate().markReached();
      boolean unused = block.gate().passUninterruptibly();
    } else if (action instanceof FaultAction.Run run) {
      run.action().run();
    }
    delivery.lock();
    try {
      if (action instanceof FaultAction.Split split && split.at() < chunk.length) {
        add(channel, chunk, 0, split.at());
        add(channel, chunk, split.at(), chunk.length);
      } else if (action instanceof FaultAction.Cut cut && cut.at() <= chunk.length) {
        add(channel, chunk, 0, cut.at());
        drain();
        holdAt(cut.gate());
        add(channel, chunk, cut.at(), chunk.length);
      } else {
        if (action instanceof FaultAction.Hold held) {
          holdAt(held.gate());
        }
        add(channel, chunk, 0, chunk.length);
      }
      drain();
      // While held, the provider goes on as if the engine had taken all.
      starved = full;
      return !full || muted || lost;
    } finally {
      delivery.unlock();
    }
  }

  @Override
  public void onOutputClosed() {
    Optional<FaultPlan.Match> match = seam.meet(FaultPoint.OUT_CLOSED, tag, "");
    if (match.isPresent() && match.get().action() instanceof FaultAction.Drop) {
      return;
    }
    if (match.isPresent() && match.get().action() instanceof FaultAction.Hold held) {
      delivery.lock();
      try {
        holdAt(held.gate());
      } finally {
        delivery.unlock();
      }
    }
    delivery.lock();
    try {
      closeSeen = true;
      drain();
    } finally {
      delivery.unlock();
    }
  }

  @Override
  public void onExit(ExitStatus status) {
    Optional<FaultPlan.Match> match = seam.meet(FaultPoint.EXIT, tag, status.toString());
    FaultAction action = match.map(FaultPlan.Match::action).orElse(null);
    if (action instanceof FaultAction.Drop) {
      return;
    }
    if (action instanceof FaultAction.Hold held) {
      held.gate().markReached();
      held.gate().whenOpen(() -> exit(status));
      return;
    }
    exit(action instanceof FaultAction.Answer answer ? (ExitStatus) answer.value() : status);
  }

  private void exit(ExitStatus status) {
    delivery.lock();
    try {
      if (!exitGiven) {
        exitGiven = true;
        engine.onExit(status);
      }
    } finally {
      delivery.unlock();
    }
  }

  /** The connection breaks: what was not delivered is gone, the exit is unknown. */
  void lose() {
    delivery.lock();
    try {
      if (lost) {
        return;
      }
      lost = true;
      queue.clear();
      exit(new ExitStatus.Lost("the connection was dropped by the kit"));
      if (!closeGiven && !muted) {
        closeGiven = true;
        engine.onOutputClosed();
      }
    } finally {
      delivery.unlock();
    }
    SandboxProcess real = process;
    if (starved && real != null) {
      real.resumeOutput();
    }
  }

  boolean lost() {
    return lost;
  }

  /** Nothing but the exit reaches the engine any more. */
  void mute() {
    muted = true;
  }

  /** The engine has room again; whether the provider must hear of it. */
  boolean resume() {
    delivery.lock();
    try {
      full = false;
      drain();
      boolean tell = starved && !full;
      if (tell) {
        starved = false;
      }
      return tell;
    } finally {
      delivery.unlock();
    }
  }

  private void holdAt(Gate gate) {
    hold = gate;
    gate.markReached();
    gate.whenOpen(
        () -> {
          delivery.lock();
          try {
            drain();
          } finally {
            delivery.unlock();
          }
        });
  }

  private void add(OutputChannel channel, byte[] chunk, int from, int to) {
    if (to > from && !lost && !muted) {
      byte[] part = new byte[to - from];
      System.arraycopy(chunk, from, part, 0, part.length);
      queue.add(new Chunk(channel, part));
    }
  }

  private void drain() {
    while (!full && !lost && !muted && (hold == null || hold.isOpen())) {
      Chunk chunk = queue.poll();
      if (chunk == null) {
        break;
      }
      full = !engine.onOutput(chunk.channel(), ByteBuffer.wrap(chunk.bytes()));
    }
    boolean open = hold == null || hold.isOpen();
    if (closeSeen && !closeGiven && open && queue.isEmpty() && !muted && !lost) {
      closeGiven = true;
      engine.onOutputClosed();
    }
  }
}
