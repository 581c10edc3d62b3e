package io.sandboxspi.core.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sandboxspi.CallScope;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExitStatus;
import io.sandboxspi.PtyEndReason;
import io.sandboxspi.PtyInfo;
import io.sandboxspi.PtyRequest;
import io.sandboxspi.PtyStream;
import io.sandboxspi.PtyUpdate;
import io.sandboxspi.SandboxException;
import io.sandboxspi.YieldOptions;
import io.sandboxspi.core.pty.Within;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Interleavings on PTYs that are rare by chance, pinned. */
class PtyRacesTest {
  private static final PtyRequest BRIEF =
      PtyRequest.of("prog").collect(YieldOptions.forStart().window(Duration.ZERO));

  private final FakeProvider provider = new FakeProvider();
  private final AtomicInteger id = new AtomicInteger(1_000);
  private final CountDownLatch lifted = new CountDownLatch(1);
  private volatile EngineHooks hooks = EngineHooks.NONE;
  private EngineSession session;

  @BeforeEach
  void open() throws Exception {
    session =
        TestSessions.open(
            provider,
            Duration.ofMillis(100),
            EngineOptions.defaults()
                .withPtyIds(id::get)
                .withHooks((point, launch) -> hooks.reached(point, launch)));
  }

  @AfterEach
  void close() {
    lifted.countDown();
    session.close();
    assertThat(session.ledger().open()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(names = {"REG_BEFORE_INSERT", "REG_AFTER_INSERT"})
  @Tag("S-CLEAN-01")
  void aStartThatFailsAroundItsRegistrationLeavesNothing(HookPoint where) {
    IllegalStateException broken = new IllegalStateException("broken");
    hooks =
        (point, launch) -> {
          if (point == where) {
            throw broken;
          }
        };
    assertThatThrownBy(() -> session.ptys().start(BRIEF)).isSameAs(broken);
    assertThat(session.ledger().open()).isEmpty();
    assertThat(session.ptys().list()).isEmpty();
    assertThat(provider.calls).containsOnlyOnce("kill");
  }

  @Test
  @Tag("S-REG-03")
  @Tag("S-REG-04")
  void aCallThatEndsLateDoesNotTouchThePtyThatGotTheIdMeanwhile() throws Exception {
    session.ptys().start(BRIEF);
    CountDownLatch collecting = new CountDownLatch(1);
    hooks = (point, launch) -> FakeProvider.stuck(collecting, lifted);
    var poll = Within.start(() -> session.ptys().poll(1_000));
    Within.await(collecting);
    hooks = EngineHooks.NONE;
    session.ptys().terminate(1_000);
    Within.until(() -> session.ledger().open().isEmpty());
    PtyUpdate stranger = session.ptys().start(BRIEF);
    assertThat(stranger.id()).isEqualTo(1_000);
    lifted.countDown();
    assertThat(Within.get(poll.result()).running()).isFalse();
    assertThat(session.ptys().list()).extracting(PtyInfo::id).containsExactly(1_000);
  }

  @Test
  @Tag("S-PTY-12")
  void aListenerThatThrowsOrBlocksKeepsNoOtherFromTheEnd() throws Exception {
    int pty = session.ptys().start(BRIEF).id();
    CountDownLatch blocked = new CountDownLatch(1);
    CountDownLatch told = new CountDownLatch(1);
    session.ptys().onExit(pty, end -> FakeProvider.stuck(blocked, lifted));
    session
        .ptys()
        .onExit(
            pty,
            end -> {
              throw new IllegalStateException("a broken listener");
            });
    session.ptys().onExit(pty, end -> told.countDown());
    provider.next().end(new ExitStatus.Exited(0));
    Within.await(blocked);
    Within.await(told);
  }

  @Test
  @Tag("S-PTY-04")
  void terminatingWhatHasEndedByItselfSaysSo() throws Exception {
    int pty = session.ptys().start(BRIEF).id();
    FakeProvider.FakeProcess process = provider.next();
    process.print("bye");
    process.end(new ExitStatus.Exited(5));
    PtyUpdate end = session.ptys().terminate(pty);
    assertThat(end.endReason()).contains(PtyEndReason.EXITED);
    assertThat(end.exitCode()).hasValue(5);
    assertThat(end.output()).isEqualTo("bye");
  }

  @Test
  @Tag("S-PTY-07")
  @Tag("S-OUT-05")
  void aPollThatATerminateEndsHasTheOutputThatCameBehindTheExit() throws Exception {
    int pty = session.ptys().start(BRIEF).id();
    FakeProvider.FakeProcess process = provider.next();
    CountDownLatch collecting = new CountDownLatch(1);
    hooks = (point, launch) -> collecting.countDown();
    var poll = Within.start(() -> session.ptys().poll(pty));
    Within.await(collecting);
    provider.onKill =
        id -> {
          process.exit(new ExitStatus.Signalled(9));
          // Long enough for a poll that does not wait for the output to return without it.
          poll.thread().join(40);
          process.print("last words");
          process.listener.onOutputClosed();
        };
    session.ptys().terminate(pty);
    assertThat(Within.get(poll.result()).output()).isEqualTo("last words");
  }

  @Test
  @Tag("S-CANCEL-04")
  void aCancellationGoesBeforeTheFailureOfTheStart() throws Exception {
    session.ptys().start(BRIEF); // has the only id there is
    CountDownLatch killing = new CountDownLatch(1);
    provider.onKill = id -> FakeProvider.stuck(killing, lifted);
    CompletableFuture<CallScope> scope = new CompletableFuture<>();
    var start =
        Within.start(
            () -> {
              try (CallScope opened = CallScope.open()) {
                scope.complete(opened);
                return session.ptys().start(BRIEF);
              }
            });
    Within.await(killing);
    IllegalArgumentException reason = new IllegalArgumentException("X");
    Within.get(scope).cancel(reason);
    lifted.countDown();
    assertThat(Within.failure(start.result())).isSameAs(reason);
  }

  @Test
  @Tag("S-LIFE-01")
  void aClosedSessionListsNothing() throws Exception {
    session.ptys().start(BRIEF);
    session.close();
    assertThatThrownBy(() -> session.ptys().list())
        .isInstanceOfSatisfying(
            SandboxException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.SESSION_CLOSED));
  }

  @Test
  @Tag("S-PTY-13")
  @Tag("S-EXIT-02")
  void anUnreadLiveStreamIsNoReasonToWaitForADescendantThatHoldsTheTerminal() throws Exception {
    int pty = session.ptys().start(BRIEF).id();
    FakeProvider.FakeProcess process = provider.next();
    CountDownLatch told = new CountDownLatch(1);
    session.ptys().onExit(pty, end -> told.countDown());
    PtyStream stream = session.ptys().attach(pty);
    process.print("unread");
    process.exit(new ExitStatus.Exited(0));
    Within.await(told);
    assertThat(stream.output().readAllBytes()).hasSize(6);
    stream.close();
  }
}
