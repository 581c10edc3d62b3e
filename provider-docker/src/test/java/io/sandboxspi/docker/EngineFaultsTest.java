package io.sandboxspi.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sandboxspi.CleanupTimings;
import io.sandboxspi.Command;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExitStatus;
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
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A real engine whose connections stall, break or vanish beneath a session. */
class EngineFaultsTest {
  private static final CleanupTimings TIMINGS =
      new CleanupTimings(
          Duration.ofSeconds(1),
          Duration.ofMillis(300),
          Duration.ofMillis(300),
          Duration.ofSeconds(2));
  // Kill, join and drain of the above, and some for a busy machine.
  private static final Duration BOUND = Duration.ofSeconds(9);

  private FaultProxy proxy;
  private SandboxSession session;

  @BeforeEach
  void open() throws Exception {
    TestEngine.need(TestEngine.BUSYBOX);
    proxy = FaultProxy.unix(TestEngine.socket());
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
      assertThat(e.code()).isNotEqualTo(ErrorCode.INTERNAL);
    }
    new Containers(DockerFixture.engine()).remove(container, DockerFixture.seconds(20));
    assertThat(DockerFixture.until(Duration.ofSeconds(12), () -> DockerFixture.threads().isEmpty()))
        .as("threads %s", DockerFixture.threads())
        .isTrue();
  }

  private static void bounded(Work work) throws Exception {
    Duration took =
        DockerFixture.timed(
            () -> {
              work.run();
              return true;
            });
    assertThat(took).isLessThan(BOUND);
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

  /** A caller that is interrupted while a batch is stuck gets just that, once the bound is over. */
  @Test
  void theCallersOwnCancellationIsKept() throws Exception {
    RunningCommand unused = session.start(Command.shell("sleep 703"));
    proxy.freeze();
    Thread caller = Thread.currentThread();
    CompletableFuture<Boolean> interrupted =
        new CompletableFuture<Boolean>().completeOnTimeout(true, 500, TimeUnit.MILLISECONDS);
    interrupted.thenRun(caller::interrupt);
    bounded(
        () ->
            assertThatThrownBy(() -> session.ptys().terminateAll())
                .isInstanceOf(InterruptedException.class)
                .satisfies(
                    e ->
                        assertThat(e.getSuppressed())
                            .anySatisfy(
                                s ->
                                    assertThat(((SandboxException) s).code())
                                        .isEqualTo(ErrorCode.TERMINATION_UNCONFIRMED))));
    assertThat(Thread.interrupted()).isTrue();
    proxy.thaw();
    provenLater("sleep 703");
  }

  /** Nothing is taken for an end that was not seen; what runs on is found again. */
  @Test
  void anEngineThatVanishesAndComesBack() throws Exception {
    session.start(Command.shell("sleep 708"));
    proxy.vanish();
    bounded(
        () ->
            assertThatThrownBy(() -> session.exec(Command.of("true")))
                .isInstanceOfSatisfying(
                    SandboxException.class,
                    e -> {
                      assertThat(e.code()).isEqualTo(ErrorCode.TRANSPORT);
                      assertThat(e.retryable()).isEqualTo(Retryable.YES);
                    }));
    bounded(() -> unconfirmed(() -> session.ptys().terminateAll()));
    assertThat(living("sleep 708")).isPositive();
    proxy.comeBack();
    provenLater("sleep 708");
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
    bounded(stuck::close);
    fault.end();
    assertThat(DockerFixture.output(session, "echo usable")).isEqualTo("usable\n");
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
        () -> {
          assertThat(command.await(BOUND).orElseThrow().status())
              .isInstanceOf(ExitStatus.Lost.class);
          PtyUpdate end = session.ptys().poll(pty.id());
          assertThat(end.running()).isFalse();
          assertThat(end.exitCode()).isEmpty();
        });
    assertThat(DockerFixture.output(session, "echo back")).isEqualTo("back\n");
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
        () ->
            assertThatThrownBy(() -> session.exec(Command.of("true")))
                .isInstanceOf(InterruptedException.class));
    assertThat(Thread.interrupted()).isTrue();
    fault.end();
    assertThat(DockerFixture.output(session, "echo usable")).isEqualTo("usable\n");
  }
}
