package io.sandboxspi.local.driver.posix;

import java.nio.ByteBuffer;

/** One output descriptor; all of it runs on the reactor's thread. */
final class Output extends Floods.Member {
  /** What is done with the bytes. */
  interface Sink {
    /** Whether to go on. */
    boolean accept(int stream, ByteBuffer bytes);

    /** Whether the process has ended, told or not. */
    boolean leaderEnded();

    void ended(Output output);
  }

  /** A terminal hands out at most this much a read; less means that it is empty. */
  private static final int FULL_TERMINAL_READ = 4095;

  /** Output of so few bytes is likely an answer. */
  private static final int DIALOGUE_BYTES = 256;

  private static final int LONG_TURN = 8;
  private static final int ASIDE_TURN = 3;

  private final Reactor reactor;
  private final Watch watch;
  private final int stream;
  private final boolean terminal;
  private final Sink sink;
  private final Runnable retry = this::retryHungUp;
  private boolean hungUp;
  private boolean ended;
  private boolean paused;
  private boolean leaderGone;
  private int readNow;

  Output(Reactor reactor, Watch watch, int stream, boolean terminal, Sink sink) {
    this.reactor = reactor;
    this.watch = watch;
    this.stream = stream;
    this.terminal = terminal;
    this.sink = sink;
  }

  /** A descriptor is ready; takes one turn. */
  void ready() {
    int bytes = read(reactor.quiet() ? LONG_TURN : 1);
    if (bytes > 0 && bytes < DIALOGUE_BYTES) {
      reactor.dialogue();
    }
    if (!paused && !ended && !hungUp) {
      reactor.floods.read(this, bytes, System.nanoTime());
    }
  }

  @Override
  int turn() {
    return read(ASIDE_TURN);
  }

  /** Reads as often; how many bytes. */
  private int read(int turns) {
    readNow = 0;
    while (turns-- > 0 && !paused && !ended && read()) {
      // The sink may have paused or closed us meanwhile.
    }
    return readNow;
  }

  @Override
  void watched(boolean on) {
    if (!ended && !hungUp && !paused) {
      watch.want(Posix.IN, on);
    }
  }

  /** Treated like any other from now on. */
  private void leaveFloods() {
    boolean aside = isAside();
    reactor.floods.leave(this);
    if (aside) {
      watched(true);
    }
  }

  void pause() {
    paused = true;
    reactor.floods.leave(this);
    if (!ended && !hungUp) {
      watch.want(Posix.IN, false);
    }
  }

  void resume() {
    paused = false;
    if (hungUp) {
      retryHungUp();
    } else if (!ended) {
      watch.want(Posix.IN, true);
    }
  }

  /** The leader has ended: a terminal that was hung up before stays so. */
  void leaderGone() {
    leaderGone = true;
    leaveFloods();
    if (hungUp) {
      retryHungUp();
    }
  }

  /** The process is released; no more reads. */
  void stop() {
    ended = true;
    reactor.floods.leave(this);
    reactor.removeTicker(retry);
  }

  /** Reads once; whether there may be more. */
  private boolean read() {
    NativeBuffer buffer = reactor.readBuffer;
    if (!watch.fd.enter()) {
      return false;
    }
    long count = Posix.read(watch.fd.number, buffer.address, Reactor.READ_SIZE);
    int errno = count < 0 ? Posix.errno() : 0;
    watch.fd.leave();
    if (count > 0) {
      readNow += (int) count;
      backFromHangUp();
      buffer.bytes.clear().limit((int) count);
      if (!sink.accept(stream, buffer.bytes)) {
        return false;
      }
      return count >= (terminal ? FULL_TERMINAL_READ : Reactor.READ_SIZE);
    }
    if (errno == Os.EAGAIN || errno == Posix.EINTR) {
      backFromHangUp();
      return false;
    }
    if (terminal && !leaderGone && !sink.leaderEnded()) {
      hangUp();
    } else {
      end();
    }
    return false;
  }

  /** Nobody has the terminal open now, but a living leader may open it again as /dev/tty. */
  private void hangUp() {
    if (!hungUp) {
      hungUp = true;
      reactor.floods.leave(this);
      watch.want(Posix.IN, false);
      reactor.addTicker(retry);
    }
  }

  private void backFromHangUp() {
    if (hungUp) {
      hungUp = false;
      reactor.removeTicker(retry);
      watch.want(Posix.IN, !paused);
    }
  }

  private void retryHungUp() {
    if (hungUp && !paused && !ended) {
      ready();
    }
  }

  private void end() {
    ended = true;
    hungUp = false;
    reactor.floods.leave(this);
    reactor.removeTicker(retry);
    // At once, so that many that end together are closed while the last of them still end.
    watch.close();
    sink.ended(this);
  }
}
