package io.sandboxspi.tck.saboteur;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExitStatus;
import io.sandboxspi.PtyRequest;
import io.sandboxspi.PtyUpdate;
import io.sandboxspi.Ptys;
import io.sandboxspi.SandboxException;
import io.sandboxspi.YieldOptions;
import io.sandboxspi.spi.OutputChannel;
import io.sandboxspi.spi.ProcessListener;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

/** Engines that wait too long, too short or in the wrong order. */
final class WindowSaboteurs {
  private WindowSaboteurs() {}

  static Stream<Saboteur> all() {
    return Stream.of(
        Saboteur.ptys(
            "an open timeout that ends the life",
            ptys ->
                new PtysWrapper(ptys) {
                  @Override
                  public PtyUpdate start(PtyRequest request) throws InterruptedException {
                    return super.start(
                        request.maxLifetime().isPresent()
                            ? request
                            : request.maxLifetime(request.openTimeout()));
                  }
                },
            "S_PTY_0[124].*",
            "S-PTY-02"),
        Saboteur.ptys(
            "silence that is told too early",
            ptys ->
                new PtysWrapper(ptys) {
                  @Override
                  public PtyUpdate start(PtyRequest request) throws InterruptedException {
                    YieldOptions given = request.collect();
                    return super.start(request.collect(given.quietAfter(Duration.ofMillis(20))));
                  }
                },
            "S_PTY_0[26].*",
            "S-PTY-06"),
        Saboteur.ptys(
            "a terminate that queues",
            Queues::new,
            "S_PTY_07_aTerminateEndsAPoll.*|S_PTY_0[14].*",
            "S-PTY-07"),
        Saboteur.ptys(
            "input that vanishes",
            ptys ->
                new PtysWrapper(ptys) {
                  @Override
                  public PtyUpdate write(int id, String text, YieldOptions options)
                      throws InterruptedException {
                    try {
                      return super.write(id, text, options);
                    } catch (SandboxException e) {
                      if (e.code() != ErrorCode.STDIN_UNAVAILABLE) {
                        throw e;
                      }
                      return nothing(id);
                    }
                  }
                },
            "S_PTY_0[148].*",
            "S-PTY-08"),
        Saboteur.hearing(
            "a stream that loses what is too much",
            provider -> new ProviderWrapper(provider, BackendWrapper.listeners(Lossy::new)),
            "S_EXEC_10.*|S_EXEC_0[15].*",
            "S-EXEC-10"),
        Saboteur.hearing(
            "an exit that waits for the end of the output",
            provider -> new ProviderWrapper(provider, BackendWrapper.listeners(ExitLast::new)),
            "S_EXIT_02_outputThatNever.*|S_EXIT_01.*",
            "S-EXIT-02"));
  }

  private static PtyUpdate nothing(int id) {
    return new PtyUpdate(
        OptionalInt.of(id),
        "",
        Optional.empty(),
        Optional.empty(),
        OptionalInt.empty(),
        0,
        false,
        Duration.ZERO);
  }

  /** One call after another. */
  private static final class Queues extends PtysWrapper {
    private final ReentrantLock turn = new ReentrantLock(true);

    Queues(Ptys delegate) {
      super(delegate);
    }

    @Override
    public PtyUpdate poll(int id, YieldOptions options) throws InterruptedException {
      turn.lockInterruptibly();
      try {
        return super.poll(id, options);
      } finally {
        turn.unlock();
      }
    }

    @Override
    public PtyUpdate terminate(int id) throws InterruptedException {
      turn.lockInterruptibly();
      try {
        return super.terminate(id);
      } finally {
        turn.unlock();
      }
    }
  }

  /** Goes on when it is told to pause, and loses what follows. */
  private static final class Lossy extends ListenerWrapper {
    private volatile boolean full;

    Lossy(ProcessListener delegate) {
      super(delegate);
    }

    @Override
    public boolean onOutput(OutputChannel channel, ByteBuffer bytes) {
      if (full) {
        bytes.position(bytes.limit());
      } else {
        full = !super.onOutput(channel, bytes);
      }
      return true;
    }
  }

  /** Tells the exit behind the end of the output, however late that comes. */
  private static final class ExitLast extends ListenerWrapper {
    private boolean closed;
    private Optional<ExitStatus> exit = Optional.empty();

    ExitLast(ProcessListener delegate) {
      super(delegate);
    }

    @Override
    public synchronized void onExit(ExitStatus status) {
      exit = Optional.of(status);
      if (closed) {
        super.onExit(status);
      }
    }

    @Override
    public synchronized void onOutputClosed() {
      super.onOutputClosed();
      closed = true;
      exit.ifPresent(super::onExit);
    }
  }
}
