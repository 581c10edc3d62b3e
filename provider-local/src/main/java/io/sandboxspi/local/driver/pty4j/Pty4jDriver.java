package io.sandboxspi.local.driver.pty4j;

import com.pty4j.unix.Pty;
import com.pty4j.util.PtyUtil;
import com.sun.jna.Function;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Platform;
import com.sun.jna.Pointer;
import io.sandboxspi.local.driver.DriverListener;
import io.sandboxspi.local.driver.DriverProcess;
import io.sandboxspi.local.driver.ProgramSearch;
import io.sandboxspi.local.driver.PtyDriver;
import io.sandboxspi.local.driver.SpawnException;
import io.sandboxspi.local.driver.SpawnException.Kind;
import io.sandboxspi.local.driver.SpawnRequest;
import io.sandboxspi.local.driver.WindowSize;
import io.sandboxspi.local.driver.posix.Child;
import io.sandboxspi.local.driver.posix.Posix;
import io.sandboxspi.local.driver.posix.PosixProcess;
import io.sandboxspi.local.driver.posix.Reactor;
import io.sandboxspi.local.driver.posix.SignalMask;
import io.sandboxspi.local.driver.posix.SpawnBlock;
import io.sandboxspi.local.driver.posix.Spawner;
import io.sandboxspi.local.driver.posix.Termios;
import java.io.File;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import kotlin.Pair;

/**
 * The portable driver. From pty4j it takes two functions only: opening a terminal and starting a
 * program on it, which outside Linux needs code in the child. Descriptors, reads, writes, sizes,
 * signals and exits are ours, so pty4j's streams, its reaper and its wake-up writes never run.
 * Pipes go through {@code posix_spawn}. Two threads: one waits for all descriptors by poll, and
 * each process has one that waits for its end.
 *
 * <p>What remains of pty4j: it forks the JVM, which is slow and grows with the heap; on a terminal
 * only SIGINT, SIGQUIT and SIGPIPE are reset to their defaults; programs are recognised by their
 * first bytes before the start, so formats that only the kernel knows are refused.
 */
public final class Pty4jDriver implements PtyDriver {
  /** The name it is chosen by. */
  public static final String NAME = "pty4j";

  private static final String THREAD = "sandbox-local-pty4j";

  /** pty4j does not pass on why a fork failed; after all checks before it this is why. */
  private static final int EAGAIN = 11;

  private static final int WAITER_STACK = 128 * 1024;

  private final Reactor reactor = new Reactor(new PollSelector(), THREAD);
  private final Spawner pipes = new Spawner(Pty4jDriver::noTerminal);
  private final AtomicBoolean closed = new AtomicBoolean();

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public DriverProcess spawn(SpawnRequest request, DriverListener listener) throws SpawnException {
    if (closed.get() || !reactor.hold()) {
      throw new IllegalStateException("the driver is closed");
    }
    Child child;
    try {
      child =
          request.terminal().isPresent()
              ? onTerminal(request, request.terminal().get())
              : pipes.spawn(request);
    } catch (SpawnException | RuntimeException | Error failed) {
      reactor.release();
      throw failed;
    }
    PosixProcess process = new PosixProcess(reactor, child, Optional.empty(), listener);
    process.start();
    Runnable waiter =
        () -> {
          process.awaitEnd();
          reactor.post(process::collect);
        };
    Thread thread = new Thread(null, waiter, THREAD + "-wait-" + child.pid(), WAITER_STACK);
    thread.setDaemon(true);
    try {
      thread.start();
    } catch (OutOfMemoryError noThread) {
      process.abandon();
      throw ProgramSearch.limit("thread", 0);
    }
    return process;
  }

  private Child onTerminal(SpawnRequest request, WindowSize size) throws SpawnException {
    request.check();
    String program = pipes.search().find(request);
    pipes.search().preflight(request, program);
    FileFormat.check(request, program, pipes.search());
    Pair<Integer, String> terminal = Pty.ptyMasterOpen();
    int master = terminal.getFirst();
    if (master < 0) {
      throw ProgramSearch.noTerminal(Posix.errno());
    }
    Posix.adopt(master);
    Termios.prepare(master, size.columns(), size.rows());
    int pid;
    int errno;
    boolean started;
    try (StartSignal signal = new StartSignal();
        SpawnBlock block =
            new SpawnBlock(program, request.argv(), request.environment(), request.directory())) {
      block.nameTerminal(terminal.getSecond());
      pid = ExecPty.call(block, master);
      errno = pid > 0 ? 0 : EAGAIN;
      started = pid > 0 && signal.await(pid);
    } catch (SpawnException e) {
      Posix.close(master);
      throw e;
    }
    if (pid <= 0) {
      Posix.close(master);
      throw pipes.search().explain(request, program, errno);
    }
    if (!started) {
      PosixProcess.discard(pid);
      Posix.close(master);
      throw new SpawnException(Kind.OTHER, 0, "the child did not get to its program");
    }
    return Child.onTerminal(pid, master);
  }

  /** Called directly, as pty4j's own call encodes text by the JVM's default. */
  private static final class ExecPty {
    private static final Function EXEC =
        NativeLibrary.getInstance(library().getAbsolutePath()).getFunction("exec_pty");

    private static File library() {
      return PtyUtil.resolveNativeFile(Platform.isMac() ? "libpty.dylib" : "libpty.so");
    }

    static int call(SpawnBlock block, int master) {
      Object[] arguments = {
        new Pointer(block.program),
        new Pointer(block.argv),
        new Pointer(block.envp),
        new Pointer(block.directory),
        new Pointer(block.slave),
        master,
        Pointer.NULL,
        -1,
        0
      };
      // Threads of a JVM block SIGQUIT, and a child keeps its parent's mask.
      return SignalMask.whileEmpty(() -> EXEC.invokeInt(arguments));
    }
  }

  private static int noTerminal(WindowSize size, long name, int room) throws SpawnException {
    throw new SpawnException(Kind.OTHER, 0, "terminals are opened elsewhere");
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      reactor.release();
    }
  }
}
