package io.sandboxspi.tck.saboteur;

import io.sandboxspi.CallScope;
import io.sandboxspi.Command;
import io.sandboxspi.ExecResult;
import io.sandboxspi.ExitStatus;
import io.sandboxspi.PtyInfo;
import io.sandboxspi.PtyRequest;
import io.sandboxspi.PtyUpdate;
import io.sandboxspi.Ptys;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.LaunchId;
import io.sandboxspi.spi.LaunchRequest;
import io.sandboxspi.spi.ProcessListener;
import io.sandboxspi.spi.SandboxBackend;
import io.sandboxspi.spi.SandboxProcess;
import io.sandboxspi.tck.SessionFactory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** Engines and providers that lose sight of what they own. */
final class OwnershipSaboteurs {
  private OwnershipSaboteurs() {}

  static Stream<Saboteur> all() {
    return Stream.of(
        Saboteur.session(
            "a cancelled command that runs on",
            (session, ledger) ->
                new SessionWrapper(session) {
                  @Override
                  public ExecResult exec(Command command) throws InterruptedException {
                    return super.start(command).await();
                  }
                },
            "S_EXEC_0[1468].*",
            "S-EXEC-08"),
        Saboteur.ptys(
            "a sweep that forgets commands",
            ptys ->
                new PtysWrapper(ptys) {
                  @Override
                  public void terminateAll() throws InterruptedException {
                    for (PtyInfo pty : list()) {
                      Object unused = terminate(pty.id());
                    }
                  }
                },
            "S_EXEC_09.*|S_PTY_0[14].*",
            "S-EXEC-09"),
        Saboteur.ptys(
            "a PTY pruned in a call", Pruner::oldest, "S_REG_03.*|S_PTY_01.*", "S-REG-03"),
        Saboteur.ptys(
            "a starter that pays for the victim",
            Pruner::oldest,
            "S_REG_06.*|S_PTY_01.*",
            "S-REG-06"),
        Saboteur.ptys(
            "a caller that leaves too soon",
            Leaves::new,
            "S_CANCEL_01_cleanupSettles.*|S_CANCEL_06.*",
            "S-CANCEL-01"),
        Saboteur.ptys(
            "a start that cannot be cancelled",
            ptys ->
                new PtysWrapper(ptys) {
                  @Override
                  public PtyUpdate start(PtyRequest request) {
                    FutureTask<PtyUpdate> task = new FutureTask<>(() -> super.start(request));
                    new Thread(task, "saboteur-start").start();
                    while (!task.isDone()) {
                      LockSupport.parkNanos(10_000_000);
                      boolean swallowed = Thread.interrupted();
                    }
                    try {
                      return task.get();
                    } catch (Exception e) {
                      throw new IllegalStateException(e);
                    }
                  }
                },
            "S_CANCEL_05.*|S_PTY_0[14].*",
            "S-CANCEL-05"),
        onCallersThread(),
        Saboteur.hearing(
            "a late handle that is dropped",
            provider -> new ProviderWrapper(provider, DropsLate::new),
            "S_CLEAN_11_aHandleThatComesAfterTheCaller.*|S_CANCEL_05.*",
            "S-CLEAN-11"),
        Saboteur.hearing(
            "a loss that nobody is told of",
            provider -> new ProviderWrapper(provider, BackendWrapper.listeners(Deaf::new)),
            "S_EXIT_03.*|S_EXIT_01_aSignal.*",
            "S-EXIT-03"),
        Saboteur.provider(
            "a process that is left behind",
            backend ->
                new BackendWrapper(backend) {
                  @Override
                  public SandboxProcess launch(
                      LaunchRequest request, ProcessListener listener, Deadline deadline)
                      throws InterruptedException {
                    leave(request);
                    return super.launch(request, listener, deadline);
                  }
                },
            "S_EXEC_01_(status|bytes).*|S_FILE_01.*",
            "S-CLEAN-12"),
        Saboteur.provider(
            "a write that knows no deadline",
            BackendWrapper.processes(
                (id, process) ->
                    new ProcessWrapper(process) {
                      @Override
                      public void write(ByteBuffer bytes, Deadline ignored)
                          throws InterruptedException, io.sandboxspi.spi.InputClosedException {
                        super.write(bytes, Deadline.after(Duration.ofSeconds(60)));
                      }
                    }),
            "S_SPI_0[1356].*",
            "S-SPI-01"),
        Saboteur.provider(
            "arguments that lose what is empty",
            backend ->
                new BackendWrapper(backend) {
                  @Override
                  public SandboxProcess launch(
                      LaunchRequest r, ProcessListener listener, Deadline deadline)
                      throws InterruptedException {
                    List<String> argv = r.argv().stream().filter(a -> !a.isEmpty()).toList();
                    return super.launch(
                        new LaunchRequest(
                            r.id(),
                            argv,
                            r.environment(),
                            r.workdir(),
                            r.terminal(),
                            r.openInput()),
                        listener,
                        deadline);
                  }
                },
            "S_EXEC_0[126].*",
            "S-EXEC-02"));
  }

  private static void leave(LaunchRequest request) {
    ProcessBuilder builder = new ProcessBuilder("sleep", "300");
    builder.environment().clear();
    Map<String, String> environment = new HashMap<>(request.environment());
    environment.put("PATH", "/usr/bin:/bin");
    builder.environment().putAll(environment);
    try {
      Object unused = builder.start();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Ends the oldest before a start, in use or not, and waits for it. */
  private static final class Pruner extends PtysWrapper {
    private Pruner(Ptys delegate) {
      super(delegate);
    }

    static Ptys oldest(Ptys ptys) {
      return new Pruner(ptys);
    }

    @Override
    public PtyUpdate start(PtyRequest request) throws InterruptedException {
      List<PtyInfo> all = list();
      if (all.size() >= 64) {
        PtyInfo oldest = all.stream().max(Comparator.comparing(PtyInfo::age)).orElseThrow();
        Object unused = terminate(oldest.id());
      }
      return super.start(request);
    }
  }

  /** Leaves a sweep as soon as its caller is cancelled. */
  private static final class Leaves extends PtysWrapper {
    Leaves(Ptys delegate) {
      super(delegate);
    }

    @Override
    public void terminateAll() throws InterruptedException {
      FutureTask<Boolean> task =
          new FutureTask<>(
              () -> {
                super.terminateAll();
                return true;
              });
      new Thread(task, "saboteur-sweep").start();
      while (!task.isDone()) {
        LockSupport.parkNanos(5_000_000);
        if (Thread.currentThread().isInterrupted()) {
          throw new InterruptedException();
        }
        RuntimeException reason = CallScope.current().flatMap(CallScope::cancellation).orElse(null);
        if (reason != null) {
          throw reason;
        }
      }
    }
  }

  /** Kills on the thread that asks. */
  private static Saboteur onCallersThread() {
    return Saboteur.engine(
        "kills on the caller's thread",
        (provider, spec, options) -> {
          Map<LaunchId, SandboxBackend> launched = new ConcurrentHashMap<>();
          ProviderWrapper watched =
              new ProviderWrapper(
                  provider,
                  backend ->
                      new BackendWrapper(backend) {
                        @Override
                        public SandboxProcess launch(
                            LaunchRequest request, ProcessListener listener, Deadline deadline)
                            throws InterruptedException {
                          launched.put(request.id(), delegate);
                          return super.launch(request, listener, deadline);
                        }
                      });
          SessionFactory.Opened opened = SessionFactory.engine().open(watched, spec, options);
          Ptys ptys =
              new PtysWrapper(opened.session().ptys()) {
                @Override
                public void terminateAll() throws InterruptedException {
                  for (Map.Entry<LaunchId, SandboxBackend> each : launched.entrySet()) {
                    Object unused =
                        each.getValue().kill(each.getKey(), Deadline.after(Duration.ofSeconds(5)));
                  }
                  super.terminateAll();
                }
              };
          return new SessionFactory.Opened(
              ResultSaboteurs.with(opened.session(), ptys), opened.ledger());
        },
        "S_CLEAN_02_(cleanupRuns|everyEnd).*|S_CLEAN_09.*",
        "S-CLEAN-02");
  }

  /** A handle that took long is not released. */
  private static final class DropsLate extends BackendWrapper {
    private final Set<LaunchId> late = ConcurrentHashMap.newKeySet();

    DropsLate(SandboxBackend delegate) {
      super(delegate);
    }

    @Override
    public SandboxProcess launch(LaunchRequest request, ProcessListener listener, Deadline deadline)
        throws InterruptedException {
      long from = System.nanoTime();
      SandboxProcess process = super.launch(request, listener, deadline);
      if (System.nanoTime() - from > 300_000_000) {
        late.add(request.id());
      }
      return new ProcessWrapper(process) {
        @Override
        public void release() {
          if (!late.contains(request.id())) {
            super.release();
          }
        }
      };
    }
  }

  /** Hears of no loss. */
  private static final class Deaf extends ListenerWrapper {
    private volatile boolean lost;

    Deaf(ProcessListener delegate) {
      super(delegate);
    }

    @Override
    public void onExit(ExitStatus status) {
      lost = status instanceof ExitStatus.Lost;
      if (!lost) {
        super.onExit(status);
      }
    }

    @Override
    public void onOutputClosed() {
      if (!lost) {
        super.onOutputClosed();
      }
    }
  }
}
