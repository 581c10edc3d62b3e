package io.sandboxspi.core.session;

import io.sandboxspi.Capability;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.PtyExit;
import io.sandboxspi.PtyInfo;
import io.sandboxspi.PtyRequest;
import io.sandboxspi.PtyStream;
import io.sandboxspi.PtyUpdate;
import io.sandboxspi.Ptys;
import io.sandboxspi.Registration;
import io.sandboxspi.SandboxException;
import io.sandboxspi.Signal;
import io.sandboxspi.TerminalSize;
import io.sandboxspi.YieldOptions;
import io.sandboxspi.core.output.BoundedPipe;
import io.sandboxspi.core.time.Caller;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** The PTYs of a session. Keeps the session reachable. */
final class PtyService implements Ptys {
  private final EngineSession session;
  private final SessionCore core;
  private final PtyStarter starter;
  private final PtyCollector collector;
  private final PtyWriter writer;

  PtyService(EngineSession session, SessionCore core, Launcher launcher) {
    this.session = session;
    this.core = core;
    this.collector = new PtyCollector(core);
    this.starter = new PtyStarter(core, launcher, collector);
    this.writer = new PtyWriter(core);
  }

  @Override
  public PtyUpdate start(PtyRequest request) throws InterruptedException {
    return core.events()
        .call(Operation.PTY_START, request.argv().get(0), caller -> starter.start(request, caller));
  }

  @Override
  public PtyUpdate write(int id, String text) throws InterruptedException {
    return text.isEmpty() ? poll(id) : write(id, text, YieldOptions.forWrite());
  }

  @Override
  public PtyUpdate write(int id, String text, YieldOptions options) throws InterruptedException {
    if (text.isEmpty()) {
      return poll(id, options);
    }
    return use(
        Operation.PTY_WRITE,
        id,
        (entry, caller, startedAt) -> {
          requireTerminal(entry, id);
          long seen = entry.outputEvents();
          writer.write(entry, ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)), caller);
          collector.settlePause(entry, options, caller);
          return collector.collect(
              entry, id, collector.window(options), options, caller, startedAt, seen);
        });
  }

  private static void requireTerminal(PtyEntry entry, int id) {
    if (!entry.hasTerminal()) {
      throw SandboxException.of(
          ErrorCode.STDIN_UNAVAILABLE,
          Operation.PTY_WRITE,
          "PTY " + id + " was started without a terminal and takes no input");
    }
  }

  /** Writes without collecting, in turn; for live streams. */
  private void send(PtyEntry entry, int id, ByteBuffer bytes) throws InterruptedException {
    core.gate().check(Operation.PTY_WRITE);
    requireTerminal(entry, id);
    core.events()
        .run(
            Operation.PTY_WRITE,
            Integer.toString(id),
            caller ->
                inTurn(
                    Operation.PTY_WRITE,
                    id,
                    entry,
                    caller,
                    () -> {
                      writer.write(entry, bytes, caller);
                      return true;
                    }));
  }

  @Override
  public PtyUpdate poll(int id) throws InterruptedException {
    return poll(id, YieldOptions.forPoll());
  }

  @Override
  public PtyUpdate poll(int id, YieldOptions options) throws InterruptedException {
    return use(
        Operation.PTY_POLL,
        id,
        (entry, caller, startedAt) ->
            collector.collect(
                entry,
                id,
                collector.pollWindow(options),
                options,
                caller,
                startedAt,
                entry.hasUndelivered() ? 0 : entry.outputEvents()));
  }

  /** A call on a PTY in its turn. */
  private interface Use {
    PtyUpdate run(PtyEntry entry, Caller caller, long startedAt) throws InterruptedException;
  }

  private PtyUpdate use(Operation operation, int id, Use use) throws InterruptedException {
    return core.events()
        .call(
            operation,
            Integer.toString(id),
            caller -> {
              long startedAt = core.clock().nanoTime();
              core.gate().check(operation);
              PtyEntry entry = core.registry().pin(id).orElseThrow(() -> notFound(operation, id));
              try {
                return inTurn(
                    operation, id, entry, caller, () -> use.run(entry, caller, startedAt));
              } finally {
                core.registry().unpin(id, entry);
              }
            });
  }

  /** A call whose turn it is. */
  private interface Turn<T> {
    T run() throws InterruptedException;
  }

  private <T> T inTurn(Operation operation, int id, PtyEntry entry, Caller caller, Turn<T> call)
      throws InterruptedException {
    CompletableFuture<Boolean> turn = entry.turns().take();
    try {
      if (caller.await(turn, core.clock().never()) == Caller.Wait.CANCELLED) {
        caller.throwIfCancelled(List.of());
      }
      if (entry.collected()) {
        throw notFound(operation, id);
      }
      return call.run();
    } finally {
      entry.turns().leave(turn);
    }
  }

  static SandboxException notFound(Operation operation, int id) {
    return SandboxException.builder(
            ErrorCode.PTY_NOT_FOUND,
            operation,
            "no PTY " + id + ": it never was, has ended, or was terminated")
        .context("id", id)
        .build();
  }

  private PtyEntry find(Operation operation, int id) {
    core.gate().check(operation);
    PtyEntry entry = core.registry().entries().get(id);
    if (entry == null) {
      throw notFound(operation, id);
    }
    return entry;
  }

  @Override
  public List<PtyInfo> list() {
    core.gate().check(Operation.PTY_POLL);
    return core.registry().entries().entrySet().stream()
        .filter(each -> !each.getValue().killed())
        .map(each -> each.getValue().info(each.getKey()))
        .sorted(Comparator.comparingInt(PtyInfo::id))
        .toList();
  }

  @Override
  public void resize(int id, TerminalSize size) {
    PtyEntry entry = find(Operation.PTY_RESIZE, id);
    core.require(Capability.RESIZE, Operation.PTY_RESIZE);
    brief(
        Operation.PTY_RESIZE,
        id,
        entry,
        (process, deadline) -> {
          if (entry.hasTerminal()) {
            process.resize(size, deadline);
          }
        });
  }

  @Override
  public void signal(int id, Signal signal) {
    PtyEntry entry = find(Operation.PTY_SIGNAL, id);
    core.require(Capability.SIGNALS, Operation.PTY_SIGNAL);
    brief(Operation.PTY_SIGNAL, id, entry, (process, deadline) -> process.signal(signal, deadline));
  }

  private void brief(Operation operation, int id, PtyEntry entry, BriefCall.Action action) {
    core.events()
        .brief(
            operation,
            Integer.toString(id),
            () -> {
              BriefCall.run(core, entry, operation, action);
              return true;
            });
  }

  @Override
  public PtyStream attach(int id) {
    core.gate().check(Operation.PTY_ATTACH);
    return core.events().brief(Operation.PTY_ATTACH, Integer.toString(id), () -> openStream(id));
  }

  private PtyStream openStream(int id) {
    // In use for as long as it is attached.
    PtyEntry entry = core.registry().pin(id).orElseThrow(() -> notFound(Operation.PTY_ATTACH, id));
    Runnable unpin = () -> core.registry().unpin(id, entry);
    Optional<BoundedPipe> pipe = entry.attach();
    if (pipe.isEmpty()) {
      unpin.run();
      throw SandboxException.of(
          ErrorCode.ALREADY_ATTACHED,
          Operation.PTY_ATTACH,
          "PTY " + id + " has a live stream; close that first");
    }
    return new PtyAttachment(id, entry, pipe.get(), this::send, unpin);
  }

  @Override
  public PtyUpdate terminate(int id) throws InterruptedException {
    return core.events()
        .call(
            Operation.PTY_TERMINATE,
            Integer.toString(id),
            caller -> {
              long startedAt = core.clock().nanoTime();
              core.gate().check(Operation.PTY_TERMINATE);
              PtyEntry entry =
                  core.registry()
                      .detach(id)
                      .orElseThrow(() -> notFound(Operation.PTY_TERMINATE, id));
              core.freeIfOver(entry);
              core.reached(HookPoint.REG_AFTER_DETACH, entry.id().value());
              var attempts = core.end(List.of(entry));
              core.reached(HookPoint.SETTLE_BEFORE, entry.id().value());
              core.helper().cleanUp(attempts, caller);
              return collector.finalUpdate(
                  entry, YieldOptions.forWrite(), startedAt, entry.endReason());
            });
  }

  @Override
  public void terminateAll() throws InterruptedException {
    core.events()
        .run(
            Operation.PTY_TERMINATE_ALL,
            "",
            caller -> {
              core.gate().check(Operation.PTY_TERMINATE_ALL);
              TerminateAll.run(core, caller);
            });
  }

  @Override
  public Registration onExit(int id, Consumer<PtyExit> listener) {
    PtyEntry entry = find(Operation.PTY_POLL, id);
    if (!entry.addExitListener(listener)) {
      core.work().execute(() -> listener.accept(entry.end()));
      return () -> {};
    }
    return entry.exitRegistration(listener);
  }

  @Override
  public String toString() {
    return "Ptys[session=" + session.id() + "]";
  }
}
