package io.sandboxspi.local.driver.posix;

import io.sandboxspi.local.driver.ClosedInputException;
import io.sandboxspi.local.driver.DriverListener;
import io.sandboxspi.local.driver.DriverProcess;
import io.sandboxspi.local.driver.WindowSize;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A process of a driver. Everything that ends up in the listener runs on the reactor's thread;
 * writes, signals and the release run on their callers'.
 */
public final class PosixProcess implements DriverProcess, Output.Sink {
  private final Reactor reactor;
  private final Leader leader;
  private final DriverListener listener;
  private final boolean terminal;
  private final Optional<Watch> exit;
  private final List<Watch> streams = new ArrayList<>();
  private final List<Output> outputs = new ArrayList<>();
  private @Nullable Input input;
  private int openOutputs;
  private boolean paused;
  private boolean told;
  private volatile boolean exited;
  private volatile boolean outputsOver;
  private volatile boolean released;

  /**
   * Takes over a child's descriptors and the hold on the reactor that its starter took.
   *
   * @param pidfd a descriptor that is ready when the child has ended; without one {@link
   *     #collect()} must be called then
   */
  public PosixProcess(
      Reactor reactor, Child child, Optional<Integer> pidfd, DriverListener listener) {
    this.reactor = reactor;
    this.leader = new Leader(child.pid());
    this.listener = listener;
    this.terminal = child.terminal();
    this.exit = pidfd.map(fd -> new Watch(reactor, fd, events -> collect()));
    if (terminal) {
      addTerminal(child.output());
    } else {
      addPipe(child.output(), DriverListener.STDOUT);
      child.error().ifPresent(fd -> addPipe(fd, DriverListener.STDERR));
      child.input().ifPresent(this::addInput);
    }
    openOutputs = outputs.size();
  }

  private void addTerminal(int master) {
    Watch watch = new Watch(reactor, master, this::terminalReady);
    streams.add(watch);
    outputs.add(new Output(reactor, watch, DriverListener.STDOUT, true, this));
    input = new Input(reactor, watch, true);
  }

  private void terminalReady(int events) {
    if ((events & ~Posix.OUT) != 0) {
      outputs.get(0).ready();
    }
    if ((events & ~Posix.IN) != 0) {
      inputReady();
    }
  }

  private void addPipe(int fd, int stream) {
    Output[] self = new Output[1];
    Watch watch = new Watch(reactor, fd, events -> self[0].ready());
    self[0] = new Output(reactor, watch, stream, false, this);
    streams.add(watch);
    outputs.add(self[0]);
  }

  private void addInput(int fd) {
    Watch watch = new Watch(reactor, fd, events -> inputReady());
    streams.add(watch);
    input = new Input(reactor, watch, false);
  }

  private void inputReady() {
    if (input != null) {
      streams.get(streams.size() - 1).want(Posix.OUT, false);
      input.wake();
    }
  }

  /**
   * Begins to watch.
   *
   * @return false when the system has no room for it; the process is ended and released then
   */
  public boolean start() {
    boolean watched = true;
    for (int i = 0; i < outputs.size(); i++) {
      watched &= streams.get(i).want(Posix.IN, true);
    }
    watched &= exit.isEmpty() || exit.get().want(Posix.IN, true);
    if (!watched) {
      abandon();
    }
    return watched;
  }

  /** Ends and reaps a child that never became a process; waits for its end, which is short. */
  public static void discard(int pid) {
    Leader leader = new Leader(pid);
    leader.killAndWait();
    leader.release();
  }

  /** Ends and releases a process that cannot be watched; waits for its end, which is short. */
  public void abandon() {
    released = true;
    leader.killAndWait();
    streams.forEach(Watch::close);
    exit.ifPresent(Watch::close);
    leader.release();
    reaped();
  }

  /** Blocks until the child has ended, however long; leaves it to be reaped. */
  public void awaitEnd() {
    leader.awaitEnd();
  }

  /** Looks whether the child has ended; on the reactor's thread. */
  public void collect() {
    Leader.End end = leader.collect();
    if (end == Leader.End.NOT_YET) {
      return;
    }
    exit.ifPresent(Watch::close);
    exited = true;
    if (terminal && input != null) {
      // Nobody reads a terminal whose session has ended, but the kernel would take the bytes.
      input.gone();
    }
    if (!leader.pinned()) {
      reaped();
    }
    // Told after a release too: it is the evidence for a kill that was not proven before.
    if (end.known()) {
      listener.onExit(end.code(), end.signal());
    } else {
      listener.onExitUnknown("the process was waited for by somebody else");
    }
    if (released) {
      return;
    }
    for (Output output : outputs) {
      output.leaderGone();
    }
  }

  @Override
  public boolean accept(int stream, ByteBuffer bytes) {
    if (released) {
      return false;
    }
    if (listener.onOutput(stream, bytes)) {
      return true;
    }
    paused = true;
    outputs.forEach(Output::pause);
    return false;
  }

  @Override
  public boolean leaderEnded() {
    return exited || leader.ended();
  }

  @Override
  public void ended(Output output) {
    if (--openOutputs > 0) {
      return;
    }
    outputsOver = true;
    if (!released) {
      listener.onOutputClosed();
    }
  }

  @Override
  public long pid() {
    return leader.pid;
  }

  @Override
  public void write(ByteBuffer bytes, long deadline) throws IOException, InterruptedException {
    if (input == null) {
      throw new ClosedInputException("the process was started without input");
    }
    input.write(bytes, deadline);
  }

  @Override
  public boolean tryWrite(ByteBuffer bytes) {
    return input != null && input.tryWrite(bytes);
  }

  @Override
  public void closeInput(long deadline) throws IOException, InterruptedException {
    if (input != null) {
      input.close(deadline);
    }
  }

  @Override
  public void resize(WindowSize size) {
    Fd master = streams.get(0).fd;
    if (terminal && master.enter()) {
      Termios.setSize(master.number, size.columns(), size.rows());
      master.leave();
    }
  }

  @Override
  public boolean signalGroup(int signal) {
    return leader.signalGroup(signal);
  }

  @Override
  public void resumeOutput() {
    if (!released) {
      reactor.post(
          () -> {
            if (paused && !released) {
              paused = false;
              outputs.forEach(Output::resume);
            }
          });
    }
  }

  @Override
  public boolean exited() {
    return leaderEnded();
  }

  @Override
  public boolean pinned() {
    return leader.pinned();
  }

  @Override
  public void release() {
    if (released) {
      return;
    }
    released = true;
    if (input != null) {
      input.gone();
    }
    streams.forEach(Watch::close);
    if (!outputsOver) {
      reactor.post(() -> outputs.forEach(Output::stop));
    }
    if (leader.release()) {
      reaped();
    }
  }

  /** Ends the watch over a reaped process; once. */
  private synchronized void reaped() {
    if (!told) {
      told = true;
      reactor.release();
    }
  }

  @Override
  public String toString() {
    return "PosixProcess[pid=" + leader.pid + ", exited=" + exited + "]";
  }
}
