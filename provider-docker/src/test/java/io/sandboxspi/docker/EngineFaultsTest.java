package io.sandboxspi.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sandboxspi.CleanupTimings;
import io.sandboxspi.Command;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.PtyRequest;
import io.sandboxspi.PtyUpdate;
import io.sandboxspi.Retryable;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Each call of the provider to a real engine stalled for ever while something is ended: bounded,
 * nothing held on this side, and what was not proven is proven later.
 */
class EngineFaultsTest {
  private static final String STREAMS = "POST /exec/[^/]*/start";
  private static final CleanupTimings TIMINGS =
      new CleanupTimings(
          Duration.ofSeconds(2),
          Duration.ofMillis(300),
          Duration.ofMillis(300),
          Duration.ofSeconds(2));
  // Kill, join and drain of the above, and some for a busy machine.
  private static final Duration BOUND = Duration.ofSeconds(12);

  private FaultProxy proxy;
  private SandboxSession session;

  private void open(String... options) throws Exception {
    TestEngine.need(TestEngine.BUSYBOX);
    proxy = FaultProxy.unix(TestEngine.socket());
    Map<String, String> all = new java.util.HashMap<>(Map.of("host", proxy.address()));
    for (int i = 0; i < options.length; i += 2) {
      all.put(options[i], options[i + 1]);
    }
    session = DockerFixture.open(all, spec -> spec.timings(TIMINGS));
  }

  @AfterEach
  void close() throws Exception {
    String container = DockerFixture.container(session);
    proxy.close();
    try {
      session.close();
    } catch (SandboxException e) {
      assertThat(e.code()).isNotEqualTo(ErrorCode.INTERNAL);
    }
    new Containers(DockerFixture.engine()).remove(container, DockerFixture.seconds(20));
    assertThat(DockerFixture.until(Duration.ofSeconds(12), () -> DockerFixture.threads().isEmpty()))
        .as("threads %s", DockerFixture.threads())
        .isTrue();
  }

  private static Duration timed(Work work) throws Exception {
    return DockerFixture.timed(
        () -> {
          work.run();
          return true;
        });
  }

  private interface Work {
    void run() throws Exception;
  }

  private static void unconfirmed(Work work) {
    assertThatThrownBy(work::run)
        .isInstanceOfSatisfying(
            SandboxException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.TERMINATION_UNCONFIRMED));
  }

  private static PtyRequest pty(String program) {
    return PtyRequest.shell("echo up; exec " + program)
        .collect(YieldOptions.forStart().quietAfter(Duration.ofMillis(1)));
  }

  /** Lines of {@code top} that hold a word, past the proxy. */
  private long living(String word) throws Exception {
    return DockerFixture.processes(DockerFixture.container(session)).stream()
        .filter(line -> line.contains(word))
        .count();
  }

  private void provenLater(String word) throws Exception {
    DockerFixture.endAll(session);
    assertThat(living(word)).isZero();
    assertThat(DockerFixture.output(session, "echo usable")).isEqualTo("usable\n");
  }

  /** The stream of a start is silent: nobody says that the program runs. */
  @Test
  void aStreamThatIsSilentFromTheBeginning() throws Exception {
    open("spares", "0");
    DockerFixture.output(session, "true");
    Fault fault = proxy.on(STREAMS, Action.STALL_AFTER, 180);
    assertThat(
            timed(
                () ->
                    assertThatThrownBy(
                            () ->
                                session.exec(
                                    Command.shell("sleep 701").openTimeout(Duration.ofSeconds(1))))
                        .isInstanceOfSatisfying(
                            SandboxException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.OPEN_TIMEOUT))))
        .isLessThan(BOUND);
    assertThat(fault.met()).isTrue();
    fault.end();
    provenLater("sleep 701");
  }

  /** All streams, the control shell's too, freeze while all processes are ended. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void frozenStreamsAtTheClearingOfTheRegistry(boolean callsToo) throws Exception {
    open();
    List<PtyUpdate> ptys = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      ptys.add(session.ptys().start(pty("sleep 702")));
    }
    if (callsToo) {
      proxy.freeze();
    } else {
      proxy.freezeOpen(STREAMS);
    }
    Work all = () -> session.ptys().terminateAll();
    assertThat(
            timed(
                () -> {
                  if (callsToo) {
                    unconfirmed(all);
                  } else {
                    // Another shell is opened, and does it.
                    DockerFixture.endAll(session);
                  }
                }))
        .isLessThan(BOUND);
    assertThat(session.ptys().list()).isEmpty();
    proxy.thaw();
    provenLater("sleep 702");
  }

  /** A caller that is interrupted while a batch is stuck gets just that, once the bound is over. */
  @Test
  void theCallersOwnCancellationIsKept() throws Exception {
    open();
    RunningCommand unused = session.start(Command.shell("sleep 703"));
    proxy.freeze();
    Thread caller = Thread.currentThread();
    CompletableFuture<Boolean> interrupted =
        new CompletableFuture<Boolean>().completeOnTimeout(true, 500, TimeUnit.MILLISECONDS);
    interrupted.thenRun(caller::interrupt);
    assertThat(
            timed(
                () ->
                    assertThatThrownBy(() -> session.ptys().terminateAll())
                        .isInstanceOf(InterruptedException.class)
                        .satisfies(
                            e ->
                                assertThat(e.getSuppressed())
                                    .anySatisfy(
                                        s ->
                                            assertThat(((SandboxException) s).code())
                                                .isEqualTo(ErrorCode.TERMINATION_UNCONFIRMED)))))
        .isLessThan(BOUND);
    assertThat(Thread.interrupted()).isTrue();
    proxy.thaw();
    provenLater("sleep 703");
  }

  /** Nothing is taken for an end that was not seen; what runs on is found again. */
  @Test
  void anEngineThatVanishesAndComesBack() throws Exception {
    open();
    session.start(Command.shell("sleep 708"));
    proxy.vanish();
    assertThat(
            timed(
                () ->
                    assertThatThrownBy(() -> session.exec(Command.of("true")))
                        .isInstanceOfSatisfying(
                            SandboxException.class,
                            e -> {
                              assertThat(e.code()).isEqualTo(ErrorCode.TRANSPORT);
                              assertThat(e.retryable()).isEqualTo(Retryable.YES);
                            })))
        .isLessThan(BOUND);
    assertThat(timed(() -> unconfirmed(() -> session.ptys().terminateAll()))).isLessThan(BOUND);
    assertThat(living("sleep 708")).isPositive();
    proxy.comeBack();
    provenLater("sleep 708");
  }

  /** A process ends by itself, and what it left cannot be ended: kept, and ended later. */
  @Test
  void aFrozenEngineAtTheFinalizer() throws Exception {
    open();
    RunningCommand command =
        session.start(Command.shell("setsid sleep 704 >/dev/null 2>&1 & sleep 1"));
    proxy.freezeOpen(STREAMS);
    Fault create = proxy.on("POST /containers/[^/]*/exec", Action.STALL_REQUEST, 0);
    assertThat(timed(() -> command.await(BOUND))).isLessThan(BOUND.plusSeconds(2));
    assertThat(living("sleep 704")).isEqualTo(1);
    create.end();
    proxy.thaw();
    provenLater("sleep 704");
  }

  /**
   * The victim's kill hangs in a shell that has frozen; the start that needed its place does not.
   */
  @Test
  void aFrozenControlShellAtAPrune() throws Exception {
    open("spares", "3");
    List<Integer> ids = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      ids.add(session.ptys().start(pty("sleep 705").withoutTerminal()).id());
    }
    assertThat(living("sleep 705")).isGreaterThanOrEqualTo(64);
    proxy.freezeFirst(STREAMS);
    assertThat(timed(() -> session.ptys().start(pty("sleep 706")))).isLessThan(BOUND);
    assertThat(session.ptys().list()).hasSize(64);
    assertThat(
            DockerFixture.until(
                BOUND,
                () ->
                    DockerFixture.processes(DockerFixture.container(session)).stream()
                            .filter(line -> line.equals("sleep 705"))
                            .count()
                        == 63))
        .isTrue();
    proxy.thaw();
    // One question over the kept shell ends them all: the engine starts no process for it.
    long made = proxy.requests().stream().filter(line -> line.startsWith("POST")).count();
    assertThat(timed(() -> DockerFixture.endAll(session))).isLessThan(BOUND);
    assertThat(proxy.requests().stream().filter(line -> line.startsWith("POST")).count())
        .isEqualTo(made);
    assertThat(living("sleep 70")).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"POST /containers/[^/]*/stop", "DELETE /containers/"})
  void aContainerThatNeverStops(String request) throws Exception {
    open("on-release", "stop");
    RunningCommand unused = session.start(Command.shell("trap '' TERM; sleep 707"));
    Fault fault = proxy.on(request, Action.STALL_REQUEST, 0);
    assertThat(
            timed(
                () ->
                    assertThatThrownBy(session::close)
                        .isInstanceOfSatisfying(
                            SandboxException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.BACKEND_RELEASE_FAILED))))
        .isLessThan(BOUND.plusSeconds(8));
    assertThat(fault.met()).isTrue();
    assertThat(DockerFixture.until(Duration.ofSeconds(12), () -> DockerFixture.threads().isEmpty()))
        .as("threads %s", DockerFixture.threads())
        .isTrue();
    fault.end();
    session.close();
    assertThat(
            new Containers(DockerFixture.engine())
                .describe(DockerFixture.container(session), DockerFixture.seconds(10))
                .state())
        .isEqualTo(Containers.State.GONE);
  }
}
