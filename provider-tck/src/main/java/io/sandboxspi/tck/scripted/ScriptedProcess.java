package io.sandboxspi.tck.scripted;

import io.sandboxspi.ExitStatus;
import io.sandboxspi.Signal;
import io.sandboxspi.TerminalSize;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.InputClosedException;
import io.sandboxspi.spi.LaunchRequest;
import io.sandboxspi.spi.OutputChannel;
import io.sandboxspi.spi.ProcessListener;
import io.sandboxspi.spi.SandboxProcess;
import io.sandboxspi.spi.TerminationOutcome;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A process that does what the test says. Events are delivered on the calling thread, one at a
 * time; output that meets a full listener waits for {@link #resumeOutput()}. Thread-safe.
 */
public final class ScriptedProcess implements SandboxProcess {
  /** What a kill does in place of ending the process. */
  @FunctionalInterface
  public interface KillScript {
    /** Answers a kill; may block, throw, or end the process itself. */
    TerminationOutcome kill(ScriptedProcess process, Deadline deadline) throws InterruptedException;
  }

  private record Chunk(OutputChannel channel, byte[] bytes) {}

  private final LaunchRequest request;
  private final ProcessListener listener;
  // Reentrant: a listener may call back into the process, for instance resumeOutput.
  private final ReentrantLock delivery = new ReentrantLock();
  private final Deque<Chunk> queued = new ArrayDeque<>();
  private final Object lock = new Object();
  private final ByteArrayOutputStream input = new ByteArrayOutputStream();
  private final List<Signal> signals = new ArrayList<>();
  private final List<TerminalSize> sizes = new ArrayList<>();
  private boolean paused;
  private boolean closing;
  private boolean outputClosed;
  private volatile boolean ended;
  private volatile boolean released;
  private boolean inputClosed;
  private int kills;
  private int releases;
  private volatile Consumer<String> onInput = text -> {};
  private volatile @Nullable KillScript killScript;

  ScriptedProcess(LaunchRequest request, ProcessListener listener) {
    this.request = request;
    this.listener = listener;
  }

  /** What was asked for. */
  public LaunchRequest request() {
    return request;
  }

  /** Prints text on standard output. */
  public void emit(String text) {
    emit(OutputChannel.STDOUT, text.getBytes(StandardCharsets.UTF_8));
  }

  /** Prints bytes on a channel. */
  public void emit(OutputChannel channel, byte[] bytes) {
    delivery.lock();
    try {
      queued.add(new Chunk(channel, bytes.clone()));
      drain();
    } finally {
      delivery.unlock();
    }
  }

  /** Ends the output and leaves the process running. */
  public void closeOutput() {
    delivery.lock();
    try {
      closing = true;
      drain();
    } finally {
      delivery.unlock();
    }
  }

  /** Reports the end and leaves the output open. */
  public void end(ExitStatus status) {
    delivery.lock();
    try {
      if (!ended) {
        ended = true;
        // Also after a release: it is evidence.
        listener.onExit(status);
      }
    } finally {
      delivery.unlock();
    }
  }

  /** Ends the output, then the process with a code. */
  public void exit(int code) {
    closeOutput();
    end(new ExitStatus.Exited(code));
  }

  /** Breaks the connection. */
  public void lose(String cause) {
    end(new ExitStatus.Lost(cause));
    closeOutput();
  }

  /** Called with each text that is written. */
  public ScriptedProcess onInput(Consumer<String> value) {
    this.onInput = value;
    return this;
  }

  /** Replaces what a kill does. */
  public ScriptedProcess onKill(KillScript value) {
    this.killScript = value;
    return this;
  }

  /** All input so far. */
  public String input() {
    synchronized (lock) {
      return input.toString(StandardCharsets.UTF_8);
    }
  }

  /** Whether the input was ended. */
  public boolean inputClosed() {
    synchronized (lock) {
      return inputClosed;
    }
  }

  /** Signals sent, in order. */
  public List<Signal> signals() {
    synchronized (lock) {
      return List.copyOf(signals);
    }
  }

  /** The size set last. */
  public Optional<TerminalSize> size() {
    synchronized (lock) {
      return sizes.isEmpty() ? request.terminal() : Optional.of(sizes.get(sizes.size() - 1));
    }
  }

  /** How often a kill was tried. */
  public int kills() {
    synchronized (lock) {
      return kills;
    }
  }

  /** How often local resources were released. */
  public int releases() {
    synchronized (lock) {
      return releases;
    }
  }

  /** Whether the process has ended. */
  public boolean ended() {
    return ended;
  }

  TerminationOutcome kill(Deadline deadline) throws InterruptedException {
    synchronized (lock) {
      kills++;
    }
    KillScript script = killScript;
    if (script != null) {
      return script.kill(this, deadline);
    }
    boolean lived = !ended;
    end(new ExitStatus.Signalled(9));
    closeOutput();
    return lived ? TerminationOutcome.confirmed() : TerminationOutcome.alreadyGone();
  }

  @Override
  public void write(ByteBuffer bytes, Deadline deadline) throws InputClosedException {
    byte[] taken = new byte[bytes.remaining()];
    synchronized (lock) {
      if (ended || inputClosed) {
        throw new InputClosedException("the process takes no more input");
      }
      bytes.get(taken);
      input.writeBytes(taken);
    }
    onInput.accept(new String(taken, StandardCharsets.UTF_8));
  }

  @Override
  public void closeInput(Deadline deadline) {
    synchronized (lock) {
      inputClosed = true;
    }
  }

  @Override
  public void resize(TerminalSize size, Deadline deadline) {
    synchronized (lock) {
      sizes.add(size);
    }
  }

  @Override
  public void signal(Signal signal, Deadline deadline) {
    synchronized (lock) {
      signals.add(signal);
    }
  }

  @Override
  public void resumeOutput() {
    delivery.lock();
    try {
      paused = false;
      drain();
    } finally {
      delivery.unlock();
    }
  }

  @Override
  public void release() {
    released = true;
    synchronized (lock) {
      releases++;
    }
  }

  private void drain() {
    while (!paused && !released) {
      Chunk chunk = queued.poll();
      if (chunk == null) {
        break;
      }
      paused = !listener.onOutput(chunk.channel(), ByteBuffer.wrap(chunk.bytes()));
    }
    if (closing && !outputClosed && queued.isEmpty() && !released) {
      outputClosed = true;
      listener.onOutputClosed();
    }
  }
}
