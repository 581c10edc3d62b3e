package io.sandboxspi.tck.saboteur;

import io.sandboxspi.Checkpoint;
import io.sandboxspi.Command;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExecResult;
import io.sandboxspi.Operation;
import io.sandboxspi.PtyInfo;
import io.sandboxspi.PtyRequest;
import io.sandboxspi.PtyUpdate;
import io.sandboxspi.Ptys;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.Signal;
import io.sandboxspi.YieldOptions;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Broken engines. */
final class SessionSaboteurs {
  private SessionSaboteurs() {}

  static Stream<Saboteur> all() {
    return Stream.of(
        Saboteur.ptys(
            "a batch that ends at its first failure",
            FirstFailureEnds::new,
            "S_CLEAN_04.*|S_CLEAN_09.*",
            "S-CLEAN-04"),
        Saboteur.ptys(
            "an entry forgotten on cancellation",
            ForgetsOnCancel::new,
            "S_CANCEL_0[56].*",
            "S-CANCEL-06"),
        Saboteur.ptys(
            "a cancellation that is swallowed",
            ptys ->
                new PtysWrapper(ptys) {
                  @Override
                  public void terminateAll() {
                    try {
                      super.terminateAll();
                    } catch (InterruptedException swallowed) {
                      return;
                    } catch (RuntimeException e) {
                      if (e instanceof SandboxException s
                          && s.code() != ErrorCode.DEADLINE_EXCEEDED) {
                        throw e;
                      }
                    }
                  }
                },
            "S_CANCEL_01_cleanupSettles.*|S_CANCEL_0[346].*",
            "S-CANCEL-02",
            "S-CANCEL-03",
            "S-CANCEL-04"),
        Saboteur.session(
            "a cancellation turned into a timeout",
            (session, ledger) ->
                new SessionWrapper(session) {
                  @Override
                  public ExecResult exec(Command command) {
                    try {
                      return super.exec(command);
                    } catch (InterruptedException e) {
                      throw timeout();
                    } catch (RuntimeException e) {
                      boolean own =
                          e instanceof SandboxException s
                              && s.code() != ErrorCode.DEADLINE_EXCEEDED;
                      throw own ? e : timeout();
                    }
                  }
                },
            "S_EXEC_0[48].*|S_CANCEL_06.*",
            "S-CANCEL-02"),
        Saboteur.session(
            "a wait without a bound",
            (session, ledger) -> {
              Ptys ptys =
                  new PtysWrapper(session.ptys()) {
                    @Override
                    public void terminateAll() throws InterruptedException {
                      try {
                        super.terminateAll();
                      } finally {
                        while (!ledger.get().isEmpty()) {
                          LockSupport.parkNanos(20_000_000);
                        }
                      }
                    }
                  };
              return new SessionWrapper(session) {
                @Override
                public Ptys ptys() {
                  return ptys;
                }
              };
            },
            "S_CLEAN_05.*|S_CLEAN_09.*",
            "S-CLEAN-05"),
        Saboteur.session(
            "a second caller that is not joined",
            (session, ledger) -> new NotJoined(session),
            "S_CLEAN_03_aSecond.*|S_LIFE_0[23]_[a-z]*[A-Z].*",
            "S-CLEAN-03",
            "S-LIFE-04"),
        Saboteur.ptys(
            "the wrong victim",
            ptys ->
                new PtysWrapper(ptys) {
                  @Override
                  public PtyUpdate start(PtyRequest request) throws InterruptedException {
                    List<PtyInfo> all = list();
                    if (all.size() >= 64) {
                      Object unused =
                          terminate(
                              all.stream()
                                  .min(java.util.Comparator.comparing(PtyInfo::age))
                                  .orElseThrow()
                                  .id());
                    }
                    return super.start(request);
                  }
                },
            "S_REG_0[24].*",
            "S-REG-02"),
        Saboteur.ptys(
            "an id that is given again", ReusesIds::new, "S_REG_04.*|S_PTY_04.*", "S-REG-04"),
        Saboteur.session(
            "a failed cleanup that is forgotten",
            (session, ledger) -> new Forgets(session),
            "S_CLEAN_07_whatIsNot.*|S_CLEAN_09.*|S_LIFE_02.*",
            "S-CLEAN-07"),
        Saboteur.session(
            "a timeout that looks like a result",
            (session, ledger) ->
                new SessionWrapper(session) {
                  @Override
                  public ExecResult exec(Command command) throws InterruptedException {
                    try {
                      return super.exec(command);
                    } catch (SandboxException e) {
                      if (e.code() == ErrorCode.EXEC_TIMEOUT) {
                        return e.partialResult().orElseThrow();
                      }
                      throw e;
                    }
                  }
                },
            "S_EXEC_0[1467].*",
            "S-EXEC-04"),
        Saboteur.ptys(
            "a refusal that is missing",
            ptys ->
                new PtysWrapper(ptys) {
                  @Override
                  public void resize(int id, io.sandboxspi.TerminalSize size) {
                    // Silently less.
                  }

                  @Override
                  public void signal(int id, Signal signal) {
                    super.signal(id, signal);
                  }
                },
            "S_CAP_.*",
            "S-CAP-02"),
        Saboteur.session(
            "a stop that is for good",
            (session, ledger) ->
                new SessionWrapper(session) {
                  @Override
                  public Checkpoint stop() throws InterruptedException {
                    Checkpoint checkpoint = super.stop();
                    super.shutdown();
                    return checkpoint;
                  }
                },
            "S_LIFE_0[12].*",
            "S-LIFE-02"));
  }

  private static SandboxException timeout() {
    return SandboxException.of(ErrorCode.EXEC_TIMEOUT, Operation.EXEC, "it took too long");
  }

  /** One after another; the next call sweeps the rest. */
  private static final class FirstFailureEnds extends PtysWrapper {
    FirstFailureEnds(Ptys delegate) {
      super(delegate);
    }

    @Override
    public void terminateAll() throws InterruptedException {
      for (PtyInfo pty : list()) {
        Object unused = terminate(pty.id());
      }
      super.terminateAll();
    }
  }

  /** Leaves a cancelled start behind, where nobody sees it. */
  private static final class ForgetsOnCancel extends PtysWrapper {
    private final Set<Integer> known = ConcurrentHashMap.newKeySet();

    ForgetsOnCancel(Ptys delegate) {
      super(delegate);
    }

    @Override
    public PtyUpdate start(PtyRequest request) throws InterruptedException {
      PtyUpdate update = super.start(request.keepOnCancel());
      update.liveId().ifPresent(known::add);
      return update;
    }

    @Override
    public List<PtyInfo> list() {
      return super.list().stream().filter(pty -> known.contains(pty.id())).toList();
    }
  }

  /** The second caller returns at once. */
  private static final class NotJoined extends ClosingWrapper {
    private final AtomicBoolean running = new AtomicBoolean();

    NotJoined(SandboxSession delegate) {
      super(delegate);
    }

    @Override
    void end(Step step) throws InterruptedException {
      if (running.compareAndSet(false, true)) {
        try {
          step.run();
        } finally {
          running.set(false);
        }
      }
    }

    @Override
    public Ptys ptys() {
      return new PtysWrapper(super.ptys()) {
        @Override
        public void terminateAll() throws InterruptedException {
          end(super::terminateAll);
        }
      };
    }
  }

  /** After a failure it believes that everything is done. */
  private static final class Forgets extends SessionWrapper {
    private final AtomicBoolean failed = new AtomicBoolean();

    Forgets(SandboxSession delegate) {
      super(delegate);
    }

    @Override
    public Ptys ptys() {
      return new PtysWrapper(super.ptys()) {
        @Override
        public void terminateAll() throws InterruptedException {
          if (failed.get()) {
            return;
          }
          try {
            super.terminateAll();
          } catch (RuntimeException e) {
            failed.set(true);
            throw e;
          }
        }
      };
    }
  }

  /** Gives an id that was terminated to the next, proven or not. */
  private static final class ReusesIds extends PtysWrapper {
    private final Map<Integer, Integer> inner = new ConcurrentHashMap<>();
    private final Deque<Integer> free = new ArrayDeque<>();

    ReusesIds(Ptys delegate) {
      super(delegate);
    }

    private int inner(int outer) {
      return inner.getOrDefault(outer, 1);
    }

    private static PtyUpdate with(PtyUpdate update, OptionalInt id) {
      return new PtyUpdate(
          id,
          update.output(),
          update.endReason(),
          update.exit(),
          update.originalTokens(),
          update.droppedBytes(),
          update.outputIncomplete(),
          update.duration());
    }

    private PtyUpdate shown(int outer, PtyUpdate update) {
      return with(update, update.running() ? OptionalInt.of(outer) : OptionalInt.empty());
    }

    @Override
    public PtyUpdate start(PtyRequest request) throws InterruptedException {
      PtyUpdate update = super.start(request);
      if (!update.running()) {
        return update;
      }
      Integer again;
      synchronized (free) {
        again = free.poll();
      }
      int outer = again == null ? update.id() : again;
      inner.put(outer, update.id());
      return with(update, OptionalInt.of(outer));
    }

    @Override
    public PtyUpdate poll(int id, YieldOptions options) throws InterruptedException {
      return shown(id, super.poll(inner(id), options));
    }

    @Override
    public PtyUpdate write(int id, String text, YieldOptions options) throws InterruptedException {
      return shown(id, super.write(inner(id), text, options));
    }

    @Override
    public PtyUpdate terminate(int id) throws InterruptedException {
      int mine = inner(id);
      try {
        return shown(id, super.terminate(mine));
      } finally {
        if (inner.remove(id) != null) {
          synchronized (free) {
            free.add(id);
          }
        }
      }
    }

    @Override
    public List<PtyInfo> list() {
      Map<Integer, Integer> outer =
          inner.entrySet().stream()
              .collect(Collectors.toMap(Map.Entry::getValue, Map.Entry::getKey, (a, b) -> a));
      return super.list().stream()
          .map(
              pty ->
                  new PtyInfo(
                      outer.getOrDefault(pty.id(), pty.id()),
                      pty.program(),
                      pty.hasTerminal(),
                      pty.age(),
                      pty.exit()))
          .toList();
    }
  }
}
