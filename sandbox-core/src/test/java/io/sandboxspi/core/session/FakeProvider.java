package io.sandboxspi.core.session;

import io.sandboxspi.Capability;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExitStatus;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.Signal;
import io.sandboxspi.TerminalSize;
import io.sandboxspi.core.pty.Within;
import io.sandboxspi.spi.BackendFiles;
import io.sandboxspi.spi.BackendRef;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.LaunchId;
import io.sandboxspi.spi.LaunchRequest;
import io.sandboxspi.spi.Liveness;
import io.sandboxspi.spi.OutputChannel;
import io.sandboxspi.spi.ProcessListener;
import io.sandboxspi.spi.ReleaseOutcome;
import io.sandboxspi.spi.SandboxBackend;
import io.sandboxspi.spi.SandboxProcess;
import io.sandboxspi.spi.SandboxProvider;
import io.sandboxspi.spi.TerminationOutcome;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** One backend whose processes do what a test says. */
class FakeProvider implements SandboxProvider, SandboxBackend {
  final Map<LaunchId, FakeProcess> processes = new ConcurrentHashMap<>();
  final BlockingQueue<FakeProcess> launched = new LinkedBlockingQueue<>();
  final List<String> calls = new CopyOnWriteArrayList<>();
  final List<BackendRequest> requests = new CopyOnWriteArrayList<>();
  volatile Script onLaunch = id -> {};
  volatile Consumer<FakeProcess> onStart = process -> {};
  volatile Script onKill = id -> {};
  volatile Script onRelease = id -> {};
  volatile Script onDelete = id -> {};
  volatile ReleaseOutcome deleted = ReleaseOutcome.DESTROYED;
  volatile BackendFiles files = new NoFiles();

  /** What happens at a call. */
  interface Script {
    void run(String id) throws InterruptedException;
  }

  FakeProcess next() throws InterruptedException {
    FakeProcess process = launched.poll(20, TimeUnit.SECONDS);
    if (process == null) {
      throw new AssertionError("nothing was launched");
    }
    return process;
  }

  @Override
  public String name() {
    return "fake";
  }

  @Override
  public Set<Capability> capabilities() {
    Set<Capability> all = EnumSet.allOf(Capability.class);
    all.remove(Capability.REATTACH);
    return all;
  }

  @Override
  public SandboxBackend create(BackendRequest request, Deadline deadline) {
    calls.add("create");
    requests.add(request);
    return this;
  }

  @Override
  public SandboxBackend attach(BackendRef ref, Deadline deadline) {
    throw SandboxException.of(ErrorCode.UNSUPPORTED, Operation.CREATE, "no");
  }

  @Override
  public ReleaseOutcome delete(BackendRef ref, Deadline deadline) throws InterruptedException {
    calls.add("delete");
    onDelete.run("");
    return deleted;
  }

  @Override
  public BackendRef ref() {
    return new BackendRef("fake", Map.of());
  }

  @Override
  public SandboxProcess launch(LaunchRequest request, ProcessListener listener, Deadline deadline)
      throws InterruptedException {
    calls.add("launch");
    onLaunch.run(request.id().value());
    FakeProcess process = new FakeProcess(request, listener);
    onStart.accept(process);
    processes.put(request.id(), process);
    launched.add(process);
    return process;
  }

  @Override
  public TerminationOutcome kill(LaunchId id, Deadline deadline) throws InterruptedException {
    calls.add("kill");
    onKill.run(id.value());
    FakeProcess process = processes.get(id);
    if (process == null || process.ended) {
      return TerminationOutcome.alreadyGone();
    }
    process.end(new ExitStatus.Signalled(9));
    return TerminationOutcome.confirmed();
  }

  @Override
  public BackendFiles files() {
    return files;
  }

  @Override
  public Liveness probe(Deadline deadline) {
    return Liveness.RUNNING;
  }

  @Override
  public ReleaseOutcome release(Deadline deadline) throws InterruptedException {
    calls.add("release");
    onRelease.run("");
    return ReleaseOutcome.DONE;
  }

  /** Blocks until the latch is down, whatever interrupts it. */
  static void stuck(CountDownLatch entered, CountDownLatch lifted) {
    entered.countDown();
    boolean interrupted = false;
    while (true) {
      try {
        Within.await(lifted);
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** A process in the hands of a test. */
  static final class FakeProcess implements SandboxProcess {
    final LaunchRequest request;
    final ProcessListener listener;
    final List<String> written = new CopyOnWriteArrayList<>();
    final AtomicInteger resumes = new AtomicInteger();
    volatile boolean ended;
    volatile boolean released;
    volatile boolean inputClosed;
    volatile Script onWrite = id -> {};
    volatile Script onCloseInput = id -> {};

    private FakeProcess(LaunchRequest request, ProcessListener listener) {
      this.request = request;
      this.listener = listener;
    }

    void print(String text) {
      print(text.getBytes(StandardCharsets.UTF_8));
    }

    void print(byte[] bytes) {
      listener.onOutput(OutputChannel.STDOUT, ByteBuffer.wrap(bytes));
    }

    void exit(ExitStatus status) {
      ended = true;
      listener.onExit(status);
    }

    void end(ExitStatus status) {
      exit(status);
      listener.onOutputClosed();
    }

    @Override
    public void write(ByteBuffer bytes, Deadline deadline) throws InterruptedException {
      onWrite.run(request.id().value());
      byte[] copy = new byte[bytes.remaining()];
      bytes.get(copy);
      written.add(new String(copy, StandardCharsets.UTF_8));
    }

    @Override
    public void closeInput(Deadline deadline) throws InterruptedException {
      inputClosed = true;
      onCloseInput.run(request.id().value());
    }

    @Override
    public void resize(TerminalSize size, Deadline deadline) {
      written.add("resize " + size.columns() + "x" + size.rows());
    }

    @Override
    public void signal(Signal signal, Deadline deadline) {
      written.add("signal " + signal);
    }

    @Override
    public void resumeOutput() {
      resumes.incrementAndGet();
    }

    @Override
    public void release() {
      released = true;
    }
  }

  /** No files at all. */
  static class NoFiles implements BackendFiles {
    @Override
    public String workspace() {
      return "/workspace";
    }

    @Override
    public java.io.InputStream open(String path, Deadline deadline) {
      return new java.io.ByteArrayInputStream(path.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void write(String path, java.io.InputStream content, Deadline deadline) {}

    @Override
    public io.sandboxspi.FileInfo stat(String path, Deadline deadline) {
      throw SandboxException.of(ErrorCode.FILE_NOT_FOUND, Operation.FILE_STAT, path);
    }

    @Override
    public List<io.sandboxspi.FileInfo> list(String path, Deadline deadline) {
      return List.of();
    }

    @Override
    public void makeDirectories(String path, Deadline deadline) {}

    @Override
    public void remove(String path, boolean tree, Deadline deadline) {}
  }
}
