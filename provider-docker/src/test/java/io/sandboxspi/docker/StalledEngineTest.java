package io.sandboxspi.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sandboxspi.CleanupTimings;
import io.sandboxspi.Command;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExecResult;
import io.sandboxspi.ExitStatus;
import io.sandboxspi.PtyRequest;
import io.sandboxspi.PtyUpdate;
import io.sandboxspi.RunningCommand;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.YieldOptions;
import io.sandboxspi.docker.FaultProxy.Action;
import io.sandboxspi.docker.FaultProxy.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The real provider on a real engine, with a relay between them that stalls one call for ever. */
class StalledEngineTest {
  private static final CleanupTimings TIMINGS =
      new CleanupTimings(
          Duration.ofSeconds(1),
          Duration.ofMillis(300),
          Duration.ofMillis(300),
          Duration.ofSeconds(2));
  // Kill, join and drain of the above, and some for a busy machine.
  private static final Duration BOUND = Duration.ofSeconds(9);
  private static final Duration CLOSE_BOUND = BOUND.plusSeconds(8);

  private FaultProxy proxy;
  private SandboxSession session;
  private long sockets;

  @BeforeEach
  void open() throws Exception {
    TestEngine.need(TestEngine.BUSYBOX);
    proxy = FaultProxy.unix(TestEngine.socket());
    sockets = DockerFixture.sockets();
    session =
        DockerFixture.open(
            Map.of("host", proxy.address(), "spares", "0"), spec -> spec.timings(TIMINGS));
  }

  @AfterEach
  void close() throws Exception {
    String container = DockerFixture.container(session);
    proxy.close();
    try {
      session.close();
    } catch (SandboxException e) {
      // The proxy is gone: what matters is that the close came back.
      assertThat(e.code()).isNotEqualTo(ErrorCode.INTERNAL);
    }
    new Containers(DockerFixture.engine()).remove(container, DockerFixture.seconds(20));
    assertThat(DockerFixture.until(Duration.ofSeconds(10), () -> DockerFixture.threads().isEmpty()))
        .as("threads %s", DockerFixture.threads())
        .isTrue();
  }

  /** Everything this side holds for the session is let go of, though nothing answers. */
  private void nothingIsHeld() throws Exception {
    boolean free =
        DockerFixture.until(
            Duration.ofSeconds(5), () -> DockerFixture.sockets() <= sockets + proxySockets());
    assertThat(free).as("sockets before %d, now %d", sockets, DockerFixture.sockets()).isTrue();
  }

  private long proxySockets() {
    return proxy.connections();
  }

  private static ErrorCode code(Throwable thrown) {
    return thrown instanceof SandboxException e ? e.code() : ErrorCode.INTERNAL;
  }

  private static void bounded(Duration bound, FaultyWork work) throws Exception {
    Duration took =
        DockerFixture.timed(
            () -> {
              work.run();
              return true;
            });
    assertThat(took).isLessThan(bound);
  }

  private interface FaultyWork {
    void run() throws Exception;
  }

  private Command beating(String tag) {
    return Command.shell("trap '' TERM; while :; do echo x >> hb-" + tag + "; sleep 0.1; done");
  }

  private boolean still(String tag) throws Exception {
    long before = session.files().stat("hb-" + tag).size();
    return !DockerFixture.until(
        Duration.ofMillis(800), () -> session.files().stat("hb-" + tag).size() > before);
  }

  private void beats(String tag) throws Exception {
    assertThat(
            DockerFixture.until(
                Duration.ofSeconds(10),
                () -> {
                  try {
                    return session.files().stat("hb-" + tag).size() > 0;
                  } catch (SandboxException notYet) {
                    return false;
                  }
                }))
        .isTrue();
  }

  /** A start whose exec is never made, never starts, or never answers. */
  @ParameterizedTest
  @CsvSource({
    "POST /containers/[^/]*/exec,STALL_REQUEST",
    "POST /containers/[^/]*/exec,STALL_ANSWER",
    "POST /exec/[^/]*/start,STALL_REQUEST",
    "POST /exec/[^/]*/start,STALL_ANSWER"
  })
  void aStalledStartIsBoundedAndLeavesNothing(String request, Action action) throws Exception {
    assertThat(DockerFixture.output(session, "echo ready")).isEqualTo("ready\n");
    session.files().write("warm", new byte[0]);
    Fault fault = proxy.on(request, action, 0);
    bounded(
        BOUND,
        () ->
            assertThatThrownBy(() -> session.exec(beating("a").openTimeout(Duration.ofSeconds(1))))
                .satisfies(e -> assertThat(code(e)).isEqualTo(ErrorCode.OPEN_TIMEOUT)));
    assertThat(fault.met()).isTrue();
    fault.end();
    // What was held up may start now: it was killed before.
    assertThat(DockerFixture.output(session, "sleep 0.5; cat hb-a 2>/dev/null; echo usable"))
        .endsWith("usable\n");
    assertThat(
            DockerFixture.output(
                session, "cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep -c hb-a"))
        .isEqualTo("0\n");
  }

  /** The stream of one process stalls: it alone is concerned, and its end is found all the same. */
  @Test
  void aStalledStreamKeepsNoOtherCallWaiting() throws Exception {
    session.files().write("warm", new byte[0]);
    Fault fault = proxy.on("POST /exec/[^/]*/start", Action.STALL_AFTER, 400);
    RunningCommand stuck = session.start(Command.shell("seq 1 1000; sleep 0.2; exit 3"));
    fault.awaitMet();
    assertThat(stuck.await(BOUND).orElseThrow().status()).isEqualTo(new ExitStatus.Exited(3));
    assertThat(stuck.result().join().outputIncomplete()).isTrue();
    bounded(BOUND, stuck::close);
    fault.end();
    assertThat(DockerFixture.output(session, "echo usable")).isEqualTo("usable\n");
  }

  /** Exit codes that the engine never gives: the supervisor's record is enough. */
  @Test
  void aStalledInspectCostsNoExitStatus() throws Exception {
    Fault fault = proxy.on("GET /exec/[^/]*/json", Action.STALL_REQUEST, 0);
    bounded(
        BOUND,
        () -> {
          ExecResult result = session.exec(Command.shell("exit 7"));
          assertThat(result.status()).isEqualTo(new ExitStatus.Exited(7));
          assertThatThrownBy(
                  () -> session.exec(Command.shell("sleep 60").timeout(Duration.ofMillis(300))))
              .satisfies(e -> assertThat(code(e)).isEqualTo(ErrorCode.EXEC_TIMEOUT));
        });
    fault.end();
  }

  /** Kills whose shell is lost and gets no successor: retained, and confirmed by a later try. */
  @ParameterizedTest
  @ValueSource(strings = {"terminateAll", "close"})
  void aStalledKillIsRetainedAndConfirmedLater(String how) throws Exception {
    RunningCommand first = session.start(beating("a"));
    RunningCommand second = session.start(beating("b"));
    beats("a");
    beats("b");
    Fault fault = proxy.on("POST /(containers|exec)/.*", Action.STALL_REQUEST, 0);
    Fault inspect = proxy.on("GET /containers/.*", Action.STALL_REQUEST, 0);
    proxy.cutAll();
    bounded(
        BOUND,
        () -> {
          if (how.equals("terminateAll")) {
            assertThatThrownBy(() -> session.ptys().terminateAll())
                .satisfies(e -> assertThat(code(e)).isEqualTo(ErrorCode.TERMINATION_UNCONFIRMED))
                .satisfies(e -> assertThat(e.getSuppressed()).hasSizeGreaterThanOrEqualTo(1));
          } else {
            for (RunningCommand each : List.of(first, second)) {
              assertThatThrownBy(each::close)
                  .satisfies(e -> assertThat(code(e)).isEqualTo(ErrorCode.TERMINATION_UNCONFIRMED));
            }
          }
        });
    fault.end();
    inspect.end();
    DockerFixture.endAll(session);
    assertThat(still("a")).isTrue();
    assertThat(still("b")).isTrue();
  }

  /** The connection of everything breaks and comes back: an honest end, and new calls work. */
  @Test
  void aCutConnectionIsLostAndTheSessionGoesOn() throws Exception {
    PtyUpdate pty =
        session
            .ptys()
            .start(
                PtyRequest.shell("echo up; sleep 300")
                    .collect(YieldOptions.forStart().quietAfter(Duration.ofMillis(100))));
    RunningCommand command = session.start(Command.shell("sleep 20; echo end"));
    proxy.cutAll();
    bounded(
        BOUND,
        () -> {
          assertThat(command.await(BOUND).orElseThrow().status())
              .isInstanceOf(ExitStatus.Lost.class);
          PtyUpdate end = session.ptys().poll(pty.id());
          assertThat(end.running()).isFalse();
          assertThat(end.exitCode()).isEmpty();
        });
    assertThat(DockerFixture.output(session, "echo back")).isEqualTo("back\n");
  }

  /** Nothing answers any more: a close comes back, and holds nothing on this side. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aCloseNeverNeedsTheEngine(boolean cut) throws Exception {
    List<RunningCommand> running = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      running.add(session.start(beating("c" + i)));
    }
    Fault fault = proxy.on(".*", Action.STALL_REQUEST, 0);
    if (cut) {
      proxy.cutAll();
    }
    bounded(
        CLOSE_BOUND,
        () ->
            assertThatThrownBy(session::close)
                .satisfies(e -> assertThat(e).isInstanceOf(SandboxException.class)));
    nothingIsHeld();
    fault.end();
    bounded(CLOSE_BOUND, session::close);
    assertThat(
            new Containers(DockerFixture.engine())
                .describe(DockerFixture.container(session), DockerFixture.seconds(10))
                .state())
        .isEqualTo(Containers.State.GONE);
  }

  /** A caller that is interrupted while the engine is silent gets its interrupt at once. */
  @Test
  void anInterruptFreesACaller() throws Exception {
    Fault fault = proxy.on("POST /containers/.*", Action.STALL_REQUEST, 0);
    Thread caller = Thread.currentThread();
    Thread other =
        new Thread(
            () -> {
              try {
                fault.awaitMet();
                caller.interrupt();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            },
            "interrupter");
    other.start();
    bounded(
        BOUND,
        () ->
            assertThatThrownBy(() -> session.exec(Command.of("true")))
                .isInstanceOf(InterruptedException.class));
    assertThat(Thread.interrupted()).isTrue();
    fault.end();
    assertThat(DockerFixture.output(session, "echo usable")).isEqualTo("usable\n");
  }
}
