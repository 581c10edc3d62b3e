package io.sandboxspi.tck.rules;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sandboxspi.Capability;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExitStatus;
import io.sandboxspi.SandboxException;
import io.sandboxspi.TerminalSize;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.InputClosedException;
import io.sandboxspi.spi.LaunchId;
import io.sandboxspi.spi.LaunchRequest;
import io.sandboxspi.spi.Liveness;
import io.sandboxspi.spi.SandboxBackend;
import io.sandboxspi.spi.SandboxProcess;
import io.sandboxspi.spi.TerminationOutcome;
import io.sandboxspi.tck.Rule;
import io.sandboxspi.tck.Scenario;
import io.sandboxspi.tck.fault.FaultyProvider;
import io.sandboxspi.tck.kit.Caller;
import io.sandboxspi.tck.kit.Expect;
import io.sandboxspi.tck.kit.Recording;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/** A backend without the engine. */
public interface SpiRules extends KitAccess {
  private LaunchRequest request(LaunchId id, String tag, String text) {
    return new LaunchRequest(
        id,
        List.of("sh", "-c", text),
        Map.of(FaultyProvider.TAG, tag, "SANDBOX_TCK_RUN", kit().runId()),
        Optional.empty(),
        Optional.empty(),
        false);
  }

  private Deadline soon() {
    return Deadline.after(kit().bound());
  }

  private boolean exists(SandboxBackend backend, String path) throws InterruptedException {
    try {
      return backend.files().stat(path, soon()) != null;
    } catch (SandboxException none) {
      return false;
    }
  }

  private long size(SandboxBackend backend, String path) throws InterruptedException {
    return exists(backend, path) ? backend.files().stat(path, soon()).size() : 0;
  }

  private boolean still(SandboxBackend backend, String tag) throws InterruptedException {
    long before = size(backend, "hb-" + tag);
    kit().pass(Duration.ofSeconds(1));
    return size(backend, "hb-" + tag) == before;
  }

  private void beats(SandboxBackend backend, String tag) throws Exception {
    long before = size(backend, "hb-" + tag);
    kit().eventually("S-SPI-04", tag + " beats", () -> size(backend, "hb-" + tag) > before);
  }

  /** A kill tells the truth, also of a leader that has gone, twice and of nobody. */
  @Test
  @Rule({"S-SPI-04", "S-SPI-03"})
  default void S_SPI_04_aProvenKillIsTrue() throws Exception {
    SandboxBackend backend = kit().bareBackend();
    LaunchId id = LaunchId.random();
    Recording listener = new Recording();
    SandboxProcess process =
        backend.launch(request(id, "a", "echo up; " + kit().beating("a")), listener, soon());
    beats(backend, "a");
    TerminationOutcome outcome = backend.kill(id, soon());
    Expect.that("S-SPI-04", outcome.proven(), "the kill is not proven: %s", outcome);
    Expect.that("S-SPI-04", still(backend, "a"), "it lives after a proven kill");
    kit().eventually("S-SPI-05", "its end is told", () -> listener.exits() == 1);
    TerminationOutcome again = backend.kill(id, soon());
    Expect.that("S-SPI-04", again.proven(), "a second kill is not proven: %s", again);
    TerminationOutcome nobody = backend.kill(LaunchId.random(), soon());
    Expect.that("S-SPI-04", nobody.proven(), "a kill of nobody is not proven: %s", nobody);
    process.release();

    if (kit().has(Capability.KILL_GROUP)) {
      LaunchId leader = LaunchId.random();
      Recording second = new Recording();
      String text = "sh -c \"" + kit().beating("b") + "\" > /dev/null 2>&1 & exit 0";
      process = backend.launch(request(leader, "b", text), second, soon());
      beats(backend, "b");
      kit().eventually("S-SPI-05", "the leader's end is told", () -> second.exits() == 1);
      outcome = backend.kill(leader, soon());
      Expect.that("S-SPI-04", outcome.proven(), "the group's kill is not proven: %s", outcome);
      Expect.that("S-SPI-04", still(backend, "b"), "the group lives after a proven kill");
      process.release();
    }
  }

  /** Many at once, in whatever way the backend likes. */
  @Test
  @Rule("S-SPI-04")
  default void S_SPI_04_aBatchTellsTheTruth() throws Exception {
    SandboxBackend backend = kit().bareBackend();
    List<LaunchId> ids = new ArrayList<>();
    List<SandboxProcess> processes = new ArrayList<>();
    for (String tag : List.of("a", "b", "c")) {
      LaunchId id = LaunchId.random();
      ids.add(id);
      processes.add(
          backend.launch(
              request(id, tag, "echo up; " + kit().beating(tag)), new Recording(), soon()));
      beats(backend, tag);
    }
    Map<LaunchId, TerminationOutcome> outcomes = backend.killAll(ids, soon());
    for (LaunchId id : ids) {
      TerminationOutcome outcome = outcomes.get(id);
      if (outcome == null) {
        outcome = backend.kill(id, soon());
      }
      Expect.that("S-SPI-04", outcome.proven(), "not proven: %s", outcome);
    }
    for (String tag : List.of("a", "b", "c")) {
      Expect.that("S-SPI-04", still(backend, tag), "%s lives after a proven kill", tag);
    }
    processes.forEach(SandboxProcess::release);
  }

  /** An id that was killed never starts. */
  @Test
  @Rule("S-SPI-03")
  @Scenario("R29")
  default void S_SPI_03_aKilledIdNeverStarts() throws Exception {
    SandboxBackend backend = kit().bareBackend();
    LaunchId id = LaunchId.random();
    Expect.that("S-SPI-03", backend.kill(id, soon()).proven(), "a kill before the launch");
    boolean refused = false;
    try {
      SandboxProcess unused =
          backend.launch(request(id, "a", "echo x > started"), new Recording(), soon());
    } catch (SandboxException expected) {
      refused = true;
    }
    kit().pass(Duration.ofMillis(700));
    Expect.that("S-SPI-03", !exists(backend, "started"), "it ran after its id was killed");
    Expect.that("S-SPI-03", refused, "the launch was not refused");
  }

  /** A kill that races its launch wins in the end. */
  @ResourceLock(KitAccess.MANY)
  @Test
  @Rule({"S-SPI-03", "S-SPI-04"})
  default void S_SPI_03_aKillWhileALaunchIsUnderWay() throws Exception {
    SandboxBackend backend = kit().bareBackend();
    for (int i = 0; i < 12; i++) {
      LaunchId id = LaunchId.random();
      String tag = "r" + i;
      Caller<SandboxProcess> launch =
          kit()
              .call(
                  () ->
                      backend.launch(
                          request(id, tag, kit().beating(tag)), new Recording(), soon()));
      kit().pass(Duration.ofMillis(i));
      TerminationOutcome outcome = backend.kill(id, soon());
      launch.returnsWithin("S-SPI-01", kit().bound());
      Expect.that("S-SPI-04", outcome.proven(), "a kill during a launch: %s", outcome);
      Expect.that("S-SPI-04", backend.kill(id, soon()).proven(), "a kill after the launch");
      if (launch.failure().isEmpty()) {
        launch.value("S-SPI-03").release();
      }
    }
    kit().pass(Duration.ofMillis(300));
    for (int i = 0; i < 12; i += 4) {
      Expect.that("S-SPI-04", still(backend, "r" + i), "r%d survived its kill", i);
    }
  }

  /** Deadlines hold. */
  @Test
  @Rule("S-SPI-01")
  default void S_SPI_01_callsReturnBeforeTheirDeadline() throws Exception {
    SandboxBackend backend = kit().bareBackend();
    Caller<Liveness> probe = kit().call(() -> backend.probe(soon()));
    Expect.same(
        "S-SPI-01",
        Liveness.RUNNING,
        probe.returnsWithin("S-SPI-01", kit().bound()).value("S-SPI-01"),
        "probe");
    if (kit().has(Capability.STDIN_AFTER_START)) {
      LaunchId id = LaunchId.random();
      LaunchRequest open =
          new LaunchRequest(
              id,
              List.of("sleep", "60"),
              Map.of("SANDBOX_TCK_RUN", kit().runId()),
              Optional.empty(),
              Optional.empty(),
              true);
      SandboxProcess process = backend.launch(open, new Recording(), soon());
      Caller<Boolean> write =
          kit()
              .run(
                  () ->
                      process.write(
                          ByteBuffer.wrap(new byte[4_000_000]),
                          Deadline.after(Duration.ofMillis(800))));
      Throwable thrown = write.returnsWithin("S-SPI-01", kit().bound()).failed("S-SPI-01");
      Expect.code("S-SPI-01", ErrorCode.WRITE_TIMEOUT, thrown);
      Caller<Boolean> interrupted =
          kit()
              .run(
                  () ->
                      process.write(
                          ByteBuffer.wrap(new byte[4_000_000]),
                          Deadline.after(Duration.ofSeconds(60))));
      kit().pass(Duration.ofMillis(300));
      interrupted.interrupt();
      Throwable ended = interrupted.returnsWithin("S-SPI-01", kit().bound()).failed("S-SPI-01");
      Expect.that(
          "S-SPI-01", ended instanceof InterruptedException, "an interrupted write: %s", ended);
      Expect.that("S-SPI-04", backend.kill(id, soon()).proven(), "the kill");
      Caller<Boolean> late = kit().run(() -> process.write(ByteBuffer.wrap(new byte[10]), soon()));
      late.returnsWithin("S-SPI-01", kit().bound());
      if (late.failure().isPresent()) {
        Expect.that(
            "S-PTY-10",
            late.failure().get() instanceof InputClosedException,
            "a write after the end: %s",
            late.failure().get());
      }
      process.release();
    }
    Caller<Boolean> passed =
        kit()
            .run(
                () ->
                    backend
                        .launch(
                            request(LaunchId.random(), "p", "true"),
                            new Recording(),
                            Deadline.after(Duration.ZERO))
                        .release());
    passed.returnsWithin("S-SPI-01", kit().bound());
  }

  /** The listener is called by one at a time, and hears each end once. */
  @Test
  @Rule({"S-SPI-05", "S-OUT-05"})
  default void S_SPI_05_listenerCallsComeOneAtATimeAndEndsOnce() throws Exception {
    SandboxBackend backend = kit().bareBackend();
    List<SandboxProcess> processes = new ArrayList<>();
    List<Recording> listeners = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      Recording listener = new Recording();
      if (i % 2 == 1) {
        listener.pauseEvery(1);
      }
      listeners.add(listener);
      LaunchId id = LaunchId.random();
      String text = "seq 1 20000; seq 1 20000 >&2; exit " + i;
      SandboxProcess process = backend.launch(request(id, "s" + i, text), listener, soon());
      listener.attach(process);
      processes.add(process);
    }
    for (int i = 0; i < 8; i++) {
      Recording listener = listeners.get(i);
      kit()
          .eventually(
              "S-SPI-05",
              "both ends are told",
              () -> listener.exits() > 0 && listener.closes() > 0);
      Expect.same("S-OUT-05", 2 * 108_894L, listener.bytes(), "bytes of process " + i);
      if (kit().has(Capability.EXIT_CODE_RELIABLE)) {
        Expect.same(
            "S-EXIT-01", new ExitStatus.Exited(i), listener.status().orElseThrow(), "status");
      }
    }
    kit().pass(Duration.ofMillis(300));
    for (Recording listener : listeners) {
      Expect.same("S-SPI-05", 1, listener.exits(), "exits told");
      Expect.same("S-SPI-05", 1, listener.closes(), "output ends told");
      Expect.that("S-SPI-05", !listener.overlapped(), "two listener calls overlapped");
      Expect.that("S-SPI-05", !listener.afterClose(), "output came after its end");
      Expect.that("S-SPI-05", !listener.whilePaused(), "output came while the listener was full");
    }
    processes.forEach(SandboxProcess::release);
  }

  /** Letting go is quick, harmless and may be done twice. */
  @Test
  @Rule("S-SPI-06")
  @Scenario("B73")
  default void S_SPI_06_releaseNeverBlocksNeverKillsAndIsIdempotent() throws Exception {
    SandboxBackend backend = kit().bareBackend();
    LaunchId id = LaunchId.random();
    Recording listener = new Recording();
    SandboxProcess process =
        backend.launch(request(id, "a", "echo up; " + kit().beating("a")), listener, soon());
    beats(backend, "a");
    for (int i = 0; i < 2; i++) {
      kit().run(process::release).returnsWithin("S-SPI-06", kit().slack()).value("S-SPI-06");
    }
    kit().pass(Duration.ofMillis(300));
    Expect.that("S-SPI-06", !still(backend, "a"), "a release ended the process");
    Expect.that("S-SPI-04", backend.kill(id, soon()).proven(), "a kill after a release");
    Expect.that("S-SPI-04", still(backend, "a"), "it lives after a proven kill");
    kit().pass(Duration.ofMillis(200));
    Expect.that("S-SPI-06", listener.exits() <= 1, "the exit was told twice");
    LaunchId ended = LaunchId.random();
    Recording second = new Recording();
    SandboxProcess gone = backend.launch(request(ended, "b", "true"), second, soon());
    kit().eventually("S-SPI-05", "its end is told", () -> second.exits() == 1);
    gone.signal(io.sandboxspi.Signal.TERM, soon());
    if (kit().has(Capability.RESIZE)) {
      gone.resize(new TerminalSize(10, 10), soon());
    }
    gone.release();
    gone.release();
    byte[] unused = "x".getBytes(UTF_8);
    Expect.that("S-SPI-04", backend.kill(ended, soon()).proven() && unused.length == 1, "kill");
  }
}
