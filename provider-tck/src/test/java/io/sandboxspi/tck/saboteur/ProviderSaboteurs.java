package io.sandboxspi.tck.saboteur;

import io.sandboxspi.Capability;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExitStatus;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.LaunchId;
import io.sandboxspi.spi.LaunchRequest;
import io.sandboxspi.spi.ListedBackend;
import io.sandboxspi.spi.ProcessListener;
import io.sandboxspi.spi.SandboxBackend;
import io.sandboxspi.spi.SandboxProcess;
import io.sandboxspi.spi.TerminationOutcome;
import io.sandboxspi.tck.plain.PlainProvider;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** Broken providers. */
final class ProviderSaboteurs {
  private ProviderSaboteurs() {}

  /** Says that it killed what it launched, and did not. */
  private static final class Liar extends BackendWrapper {
    private final Set<LaunchId> launched = ConcurrentHashMap.newKeySet();

    Liar(SandboxBackend delegate) {
      super(delegate);
    }

    @Override
    public SandboxProcess launch(LaunchRequest request, ProcessListener listener, Deadline deadline)
        throws InterruptedException {
      SandboxProcess process = super.launch(request, listener, deadline);
      launched.add(request.id());
      return process;
    }

    @Override
    public TerminationOutcome kill(LaunchId id, Deadline deadline) throws InterruptedException {
      return launched.contains(id) ? TerminationOutcome.confirmed() : super.kill(id, deadline);
    }
  }

  static Stream<Saboteur> all() {
    return Stream.of(
        Saboteur.provider(
            "a list with owners that have gone",
            new ProviderWrapper(new PlainProvider(), UnaryOperator.identity()) {
              @Override
              public List<ListedBackend> list(Map<String, String> options, Deadline deadline)
                  throws InterruptedException {
                return super.list(options, deadline).stream()
                    .map(it -> new ListedBackend(it.ref(), it.sessionId(), "?", it.created()))
                    .toList();
              }
            },
            "S_REAP.*|S_CAP_01.*",
            "S-REAP-01"),
        Saboteur.provider(
            "a kill that lies",
            Liar::new,
            "S_SPI_0[34]_aProven.*|S_SPI_04.*|S_SPI_03.*|S_SPI_05.*",
            "S-SPI-04"),
        Saboteur.provider(
            "ids that may start after their kill",
            backend ->
                new BackendWrapper(backend) {
                  private final Set<LaunchId> launched = ConcurrentHashMap.newKeySet();

                  @Override
                  public SandboxProcess launch(
                      LaunchRequest request, ProcessListener listener, Deadline deadline)
                      throws InterruptedException {
                    launched.add(request.id());
                    return super.launch(request, listener, deadline);
                  }

                  @Override
                  public TerminationOutcome kill(LaunchId id, Deadline deadline)
                      throws InterruptedException {
                    return launched.contains(id)
                        ? super.kill(id, deadline)
                        : TerminationOutcome.alreadyGone();
                  }
                },
            "S_SPI_03_aKilledId.*|S_SPI_04.*",
            "S-SPI-03"),
        Saboteur.provider(
            "a release that kills",
            backend ->
                BackendWrapper.processes(
                        (id, process) ->
                            new ProcessWrapper(process) {
                              @Override
                              public void release() {
                                super.release();
                                kill(backend, id);
                              }
                            })
                    .apply(backend),
            "S_SPI_0[3456].*",
            "S-SPI-06"),
        Saboteur.provider(
            "an exit that is told twice",
            BackendWrapper.listeners(
                listener ->
                    new ListenerWrapper(listener) {
                      @Override
                      public void onExit(ExitStatus status) {
                        super.onExit(status);
                        super.onExit(status);
                      }
                    }),
            "S_SPI_05.*|S_EXEC_01.*|S_PTY_12.*",
            "S-SPI-05"),
        Saboteur.provider(
            "signals told as codes",
            BackendWrapper.listeners(
                listener ->
                    new ListenerWrapper(listener) {
                      @Override
                      public void onExit(ExitStatus status) {
                        super.onExit(
                            status instanceof ExitStatus.Signalled s
                                ? new ExitStatus.Exited(128 + s.signal())
                                : status);
                      }
                    }),
            "S_EXIT_0[12].*|S_CAP_01.*|S_EXEC_01.*",
            "S-EXIT-01"),
        Saboteur.provider(
            "an input that never ends",
            BackendWrapper.processes(
                (id, process) ->
                    new ProcessWrapper(process) {
                      @Override
                      public void closeInput(Deadline deadline) {
                        // The reader waits on.
                      }
                    }),
            "S_EXEC_0[12].*|S_EXEC_03_(noInput|aPipe).*",
            "S-EXEC-03"),
        Saboteur.provider(
            "output that overtakes a full listener",
            BackendWrapper.listeners(
                listener ->
                    new ListenerWrapper(listener) {
                      @Override
                      public boolean onOutput(
                          io.sandboxspi.spi.OutputChannel channel, ByteBuffer bytes) {
                        boolean unused = super.onOutput(channel, bytes);
                        return true;
                      }
                    }),
            "S_SPI_0[456].*",
            "S-SPI-05"),
        Saboteur.provider(
            "a terminal that is promised",
            new ProviderWrapper(new PlainProvider(), backend -> backend) {
              @Override
              public Set<Capability> capabilities() {
                EnumSet<Capability> more = EnumSet.copyOf(super.capabilities());
                more.add(Capability.TTY);
                return more;
              }
            },
            "S_CAP_.*",
            "S-CAP-01"),
        Saboteur.provider(
            "users that are promised",
            new ProviderWrapper(new PlainProvider(), UnaryOperator.identity()) {
              @Override
              public Set<Capability> capabilities() {
                EnumSet<Capability> more = EnumSet.copyOf(super.capabilities());
                more.add(Capability.USERS);
                return more;
              }
            },
            "S_CAP_0.*|S_USER_.*|S_EXEC_01.*",
            "S-CAP-01",
            "S-USER-01",
            "S-USER-02",
            "S-USER-03"),
        Saboteur.provider(
            "a missing program told as a failed launch",
            backend ->
                new BackendWrapper(backend) {
                  @Override
                  public SandboxProcess launch(
                      LaunchRequest request, ProcessListener listener, Deadline deadline)
                      throws InterruptedException {
                    try {
                      return super.launch(request, listener, deadline);
                    } catch (SandboxException e) {
                      throw SandboxException.of(
                          ErrorCode.LAUNCH_FAILED, Operation.COMMAND_START, "failed");
                    }
                  }
                },
            "S_EXEC_0[126].*|S_EXIT_01.*",
            "S-EXEC-06"));
  }

  private static void kill(SandboxBackend backend, LaunchId id) {
    try {
      Object unused = backend.kill(id, Deadline.after(Duration.ofSeconds(5)));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
