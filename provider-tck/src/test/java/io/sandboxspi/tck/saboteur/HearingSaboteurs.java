package io.sandboxspi.tck.saboteur;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sandboxspi.Capability;
import io.sandboxspi.ExitStatus;
import io.sandboxspi.SandboxEvent;
import io.sandboxspi.SandboxListener;
import io.sandboxspi.SandboxSpec;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.LaunchId;
import io.sandboxspi.spi.LaunchRequest;
import io.sandboxspi.spi.OutputChannel;
import io.sandboxspi.spi.ProcessListener;
import io.sandboxspi.spi.SandboxBackend;
import io.sandboxspi.spi.SandboxProcess;
import io.sandboxspi.spi.SandboxProvider;
import io.sandboxspi.spi.TerminationOutcome;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** Engines that mishear what comes from below. */
final class HearingSaboteurs {
  private HearingSaboteurs() {}

  private static UnaryOperator<SandboxProvider> listeners(UnaryOperator<ProcessListener> wrap) {
    return provider -> new ProviderWrapper(provider, BackendWrapper.listeners(wrap));
  }

  /** Releases local resources only once the kill has answered. */
  private static final class WaitsForTheKill extends BackendWrapper {
    private final Set<LaunchId> stalled = ConcurrentHashMap.newKeySet();

    WaitsForTheKill(SandboxBackend delegate) {
      super(delegate);
    }

    @Override
    public SandboxProcess launch(LaunchRequest request, ProcessListener listener, Deadline deadline)
        throws InterruptedException {
      return new ProcessWrapper(super.launch(request, listener, deadline)) {
        @Override
        public void release() {
          if (!stalled.contains(request.id())) {
            super.release();
          }
        }
      };
    }

    @Override
    public TerminationOutcome kill(LaunchId id, Deadline deadline) throws InterruptedException {
      stalled.add(id);
      try {
        return super.kill(id, deadline);
      } finally {
        stalled.remove(id);
      }
    }
  }

  static SandboxSpec hearing(SandboxSpec spec, UnaryOperator<SandboxListener> wrap) {
    SandboxSpec.Builder changed =
        SandboxSpec.builder().timings(spec.timings()).createTimeout(spec.createTimeout());
    spec.environment().forEach(changed::env);
    spec.options().forEach(changed::option);
    spec.listeners().forEach(listener -> changed.listener(wrap.apply(listener)));
    return changed.build();
  }

  static Stream<Saboteur> all() {
    return Stream.of(
        Saboteur.hearing(
            "an invented exit code",
            listeners(
                listener ->
                    new ListenerWrapper(listener) {
                      @Override
                      public void onExit(ExitStatus status) {
                        super.onExit(
                            status instanceof ExitStatus.Lost ? new ExitStatus.Exited(0) : status);
                      }
                    }),
            "S_EXIT_0[123].*",
            "S-EXIT-01"),
        Saboteur.hearing(
            "output lost at the exit",
            listeners(
                listener ->
                    new ListenerWrapper(listener) {
                      private volatile boolean ended;

                      @Override
                      public boolean onOutput(OutputChannel channel, ByteBuffer bytes) {
                        return ended || super.onOutput(channel, bytes);
                      }

                      @Override
                      public void onExit(ExitStatus status) {
                        ended = true;
                        super.onExit(status);
                      }
                    }),
            "S_EXIT_02_outputThatComes.*|S_OUT_02.*|S_PTY_0[467].*",
            "S-OUT-05"),
        Saboteur.hearing(
            "characters broken where chunks end",
            listeners(
                listener ->
                    new ListenerWrapper(listener) {
                      @Override
                      public boolean onOutput(OutputChannel channel, ByteBuffer bytes) {
                        byte[] whole = UTF_8.decode(bytes).toString().getBytes(UTF_8);
                        return super.onOutput(channel, ByteBuffer.wrap(whole));
                      }
                    }),
            "S_OUT_0[125].*|S_EXIT_02.*|S_PTY_01.*",
            "S-OUT-02"),
        Saboteur.hearing(
            "local resources kept while the kill stalls",
            provider -> new ProviderWrapper(provider, WaitsForTheKill::new),
            "S_CLEAN_05_aKillThatNever.*|S_CLEAN_0[49].*",
            "S-CLEAN-06"),
        Saboteur.hearing(
            "a lying kill that is believed",
            provider ->
                new ProviderWrapper(provider, backend -> backend) {
                  @Override
                  public Set<Capability> capabilities() {
                    EnumSet<Capability> fewer = EnumSet.copyOf(super.capabilities());
                    fewer.remove(Capability.EXIT_CODE_RELIABLE);
                    return fewer;
                  }
                },
            "S_CLEAN_0[79].*",
            "S-CLEAN-07"),
        Saboteur.spec(
            "cancelled operations without a finish",
            spec ->
                hearing(
                    spec,
                    listener ->
                        event -> {
                          boolean cancelled =
                              event instanceof SandboxEvent.Finished finished
                                  && finished.outcome() == SandboxEvent.Outcome.CANCELLED;
                          if (!cancelled) {
                            listener.onEvent(event);
                          }
                        }),
            "S_EVT_.*|S_LIFE_02.*",
            "S-EVT-01"));
  }
}
