package io.sandboxspi.local.driver.linux;

import com.sun.jna.NativeLibrary;
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
import io.sandboxspi.local.driver.posix.Spawner;
import io.sandboxspi.local.driver.posix.Termios;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Starts processes at about the cost of {@code posix_spawn} itself and watches any number of them
 * with one thread, {@value #THREAD}. Two descriptors for a terminal, up to four for pipes.
 *
 * <p>An ended process stays a zombie until it is released, so that its number is never somebody
 * else's. A start blocks its caller for the time that the system needs to run the program.
 */
public final class LinuxDriver implements PtyDriver {
  /** The name it is chosen by. */
  public static final String NAME = "linux";

  static final String THREAD = "sandbox-local-reactor";

  private final Reactor reactor = new Reactor(new EpollSelector(), THREAD);
  private final Spawner spawner = new Spawner(LinuxDriver::openTerminal);
  private final AtomicBoolean closed = new AtomicBoolean();

  /** Why this driver cannot work on this machine; empty if it can. */
  public static Optional<String> missing() {
    String os = System.getProperty("os.name");
    String arch = System.getProperty("os.arch");
    if (!"Linux".equals(os) || !("amd64".equals(arch) || "aarch64".equals(arch))) {
      return Optional.of("it needs Linux on x86-64 or aarch64, this is " + os + " on " + arch);
    }
    try {
      NativeLibrary process = NativeLibrary.getProcess();
      process.getFunction("gnu_get_libc_version");
      process.getFunction("posix_spawn_file_actions_addchdir_np");
    } catch (UnsatisfiedLinkError absent) {
      return Optional.of("it needs glibc 2.29 or newer");
    }
    int self = openPidfd((int) ProcessHandle.current().pid());
    if (self < 0) {
      return Optional.of("the kernel has no pidfd_open (Linux 5.3) or forbids it");
    }
    Posix.close(self);
    return Optional.empty();
  }

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
      child = spawner.spawn(request);
    } catch (SpawnException | RuntimeException | Error failed) {
      reactor.release();
      throw failed;
    }
    int pidfd = openPidfd(child.pid());
    int errno = pidfd < 0 ? Posix.errno() : 0;
    Optional<Integer> watched = pidfd < 0 ? Optional.empty() : Optional.of(pidfd);
    PosixProcess process = new PosixProcess(reactor, child, watched, listener);
    if (errno != 0) {
      process.abandon();
    }
    if (errno != 0 || !process.start()) {
      throw ProgramSearch.limit("process to be watched", errno);
    }
    return process;
  }

  private static int openPidfd(int pid) {
    return (int) Linux.syscall(Linux.SYS_PIDFD_OPEN, pid, 0, 0, 0);
  }

  private static int openTerminal(WindowSize size, long name, int room) throws SpawnException {
    int flags = Linux.O_RDWR | Linux.O_NOCTTY | Linux.CLOEXEC | Linux.O_NONBLOCK;
    int master = Linux.posix_openpt(flags);
    if (master < 0) {
      throw ProgramSearch.noTerminal(Posix.errno());
    }
    if (Linux.grantpt(master) != 0
        || Linux.unlockpt(master) != 0
        || Linux.ptsname_r(master, name, room) != 0) {
      int errno = Posix.errno();
      Posix.close(master);
      throw new SpawnException(Kind.OTHER, errno, "the terminal cannot be opened");
    }
    Termios.prepare(master, size.columns(), size.rows());
    return master;
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      reactor.release();
    }
  }
}
