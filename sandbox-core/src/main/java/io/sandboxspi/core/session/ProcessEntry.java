package io.sandboxspi.core.session;

import io.sandboxspi.ExitStatus;
import io.sandboxspi.Registration;
import io.sandboxspi.core.time.Callback;
import io.sandboxspi.core.time.LaneTask;
import io.sandboxspi.spi.LaunchId;
import io.sandboxspi.spi.OutputChannel;
import io.sandboxspi.spi.ProcessListener;
import io.sandboxspi.spi.SandboxProcess;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * A process that a session owns: what is known of it, from before its launch until its end. The
 * backend calls it as a {@link ProcessListener}. Thread-safe; the lock guards memory only.
 */
abstract class ProcessEntry implements ProcessListener {
  private final LaunchId id = LaunchId.random();
  private final String program;

  /** Guards what is known, and the output of the subclass. */
  protected final Object lock = new Object();

  private final CompletableFuture<Boolean> attached = new CompletableFuture<>();
  private final CompletableFuture<Boolean> exitSeen = new CompletableFuture<>();
  private final CompletableFuture<Boolean> outputOver = new CompletableFuture<>();
  private final List<Runnable> watchers = new CopyOnWriteArrayList<>();
  private final Set<LaneTask<?>> calls = ConcurrentHashMap.newKeySet();
  private @Nullable SandboxProcess process;
  private @Nullable ExitStatus exit;
  private final List<Registration> timers = new ArrayList<>();
  private boolean resumeWanted;
  private boolean outputClosed;
  private boolean drained;
  private boolean killed;
  private boolean silenced;
  private boolean finishTold;
  private boolean retained;
  private boolean distrusted;

  /** What the session does with news of an entry; called without locks. */
  interface Owner {
    /** The process has ended but its output is still open: the bounded drain begins. */
    void draining(ProcessEntry entry);

    /** Exit and end of output, or what stands for them, have come; called once. */
    void finished(ProcessEntry entry);
  }

  private final Owner owner;

  ProcessEntry(String program, Owner owner) {
    this.program = program;
    this.owner = owner;
  }

  LaunchId id() {
    return id;
  }

  String program() {
    return program;
  }

  /** Stores output under the lock; false asks the backend to pause. */
  abstract boolean store(OutputChannel channel, ByteBuffer bytes);

  /**
   * No more output is stored: the process is finished or let go of. Called once, under the lock.
   */
  abstract void outputEnded(boolean complete);

  /** An attempt to end the process has settled; may be called again after a retry. */
  abstract void cleanupSettled(Optional<Throwable> failure);

  @Override
  public final boolean onOutput(OutputChannel channel, ByteBuffer bytes) {
    boolean more;
    synchronized (lock) {
      if (silenced || drained) {
        return true;
      }
      more = store(channel, bytes);
    }
    wakeWatchers();
    return more;
  }

  @Override
  public final void onOutputClosed() {
    synchronized (lock) {
      outputClosed = true;
    }
    outputOver.complete(true);
    changed();
  }

  @Override
  public final void onExit(ExitStatus status) {
    boolean drain;
    synchronized (lock) {
      if (exit != null) {
        return;
      }
      exit = status;
      drain = !outputClosed && !(status instanceof ExitStatus.Lost);
    }
    exitSeen.complete(true);
    if (drain) {
      owner.draining(this);
    }
    changed();
  }

  /** The bounded drain is over: what has not come will not be waited for. */
  final void drainOver() {
    synchronized (lock) {
      drained = true;
    }
    changed();
  }

  /** Whether a reader of the output is behind, so that the drain cannot be judged yet. */
  boolean backlogged() {
    return false;
  }

  /** Keeps a timer until the process is finished or let go of. */
  final void keep(Registration timer) {
    boolean over;
    synchronized (lock) {
      over = silenced || finishTold;
      if (!over) {
        timers.add(timer);
      }
    }
    if (over) {
      timer.close();
    }
  }

  private void closeTimers() {
    List<Registration> toClose;
    synchronized (lock) {
      toClose = new ArrayList<>(timers);
      timers.clear();
    }
    toClose.forEach(Registration::close);
  }

  private void changed() {
    boolean tell;
    synchronized (lock) {
      tell = !finishTold && finishedLocked();
      if (tell) {
        finishTold = true;
        if (!silenced) {
          outputEnded(outputClosed);
        }
      }
    }
    if (tell) {
      closeTimers();
      owner.finished(this);
    }
    wakeWatchers();
  }

  private boolean finishedLocked() {
    return exit != null && (outputClosed || drained || silenced || exit instanceof ExitStatus.Lost);
  }

  /** Whether exit and end of output are known, or the drain bound has passed. */
  final boolean finished() {
    synchronized (lock) {
      return finishedLocked();
    }
  }

  /** Whether the process is known to have ended, its output aside. */
  final boolean exited() {
    synchronized (lock) {
      return exit != null;
    }
  }

  final Optional<ExitStatus> exit() {
    synchronized (lock) {
      return Optional.ofNullable(exit);
    }
  }

  final boolean outputIncomplete() {
    synchronized (lock) {
      return !outputClosed;
    }
  }

  /** Completes when the backend has told of the exit. */
  final CompletableFuture<Boolean> exitSeen() {
    return exitSeen;
  }

  /** Completes when the backend has told of the end of output. */
  final CompletableFuture<Boolean> outputOver() {
    return outputOver;
  }

  /** The launch has answered. */
  final void attach(SandboxProcess handle) {
    boolean resume;
    synchronized (lock) {
      process = handle;
      resume = resumeWanted;
      resumeWanted = false;
    }
    attached.complete(true);
    if (resume) {
      handle.resumeOutput();
    }
  }

  /** Completes when the launch has answered with a handle. */
  final CompletableFuture<Boolean> attached() {
    return attached;
  }

  final Optional<SandboxProcess> process() {
    synchronized (lock) {
      return Optional.ofNullable(process);
    }
  }

  /** There is room for output again. */
  final void resumeOutput() {
    SandboxProcess handle;
    synchronized (lock) {
      handle = process;
      resumeWanted = handle == null;
    }
    if (handle != null) {
      handle.resumeOutput();
    }
  }

  /** The session ends the process. Wakes whoever waits for it and interrupts calls to it. */
  final void kill() {
    synchronized (lock) {
      if (exit == null) {
        killed = true;
      }
    }
    new ArrayList<>(calls).forEach(LaneTask::interrupt);
    wakeWatchers();
  }

  /** Whether the session ended it before it was known to have ended by itself. */
  final boolean killed() {
    synchronized (lock) {
      return killed;
    }
  }

  /** Nothing is stored from now on, so that a stuck reader cannot append to a closed entry. */
  final Optional<SandboxProcess> silence() {
    Optional<SandboxProcess> handle;
    synchronized (lock) {
      if (!silenced) {
        silenced = true;
        if (!finishTold) {
          outputEnded(outputClosed);
        }
      }
      handle = Optional.ofNullable(process);
    }
    closeTimers();
    wakeWatchers();
    return handle;
  }

  /** Whether local resources were let go of: no exit can be heard any more. */
  final boolean silenced() {
    synchronized (lock) {
      return silenced;
    }
  }

  /** The backend said that it had ended, and no exit was heard: its word is not enough any more. */
  final void distrust() {
    synchronized (lock) {
      distrusted = true;
    }
  }

  final boolean distrusted() {
    synchronized (lock) {
      return distrusted;
    }
  }

  /** Remembers a call to the process so that {@link #kill} can interrupt it. */
  final void track(LaneTask<?> call) {
    calls.add(call);
    Callback.when(call, (value, failure) -> calls.remove(call));
    if (killed()) {
      call.interrupt();
    }
  }

  final void markRetained() {
    synchronized (lock) {
      retained = true;
    }
  }

  final boolean wasRetained() {
    synchronized (lock) {
      return retained;
    }
  }

  final void watch(Runnable watcher) {
    watchers.add(watcher);
  }

  /** Watches until the registration is closed. */
  final Registration watching(Runnable watcher) {
    watch(watcher);
    return () -> unwatch(watcher);
  }

  final void unwatch(Runnable watcher) {
    watchers.remove(watcher);
  }

  protected final void wakeWatchers() {
    for (Runnable watcher : watchers) {
      watcher.run();
    }
  }

  @Override
  public final String toString() {
    return getClass().getSimpleName() + "[" + id + ", program=" + program + "]";
  }
}
