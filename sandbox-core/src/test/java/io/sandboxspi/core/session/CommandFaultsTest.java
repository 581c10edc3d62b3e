package io.sandboxspi.core.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sandboxspi.CallScope;
import io.sandboxspi.Command;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExecResult;
import io.sandboxspi.ExitStatus;
import io.sandboxspi.Operation;
import io.sandboxspi.Retryable;
import io.sandboxspi.RunningCommand;
import io.sandboxspi.SandboxException;
import io.sandboxspi.Stdin;
import io.sandboxspi.core.pty.Within;
import io.sandboxspi.core.time.CountingClock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class CommandFaultsTest {
  private static final Duration LONG = Duration.ofSeconds(20);

  private final FakeProvider provider = new FakeProvider();
  private final CountingClock clock = new CountingClock();
  private final CountDownLatch lifted = new CountDownLatch(1);
  private EngineSession session;

  @BeforeEach
  void open() throws Exception {
    session =
        TestSessions.open(
            provider, Duration.ofMillis(500), EngineOptions.defaults().withClock(clock));
  }

  @AfterEach
  void close() {
    lifted.countDown();
    provider.onKill = id -> {};
    session.close();
    assertThat(session.ledger().open()).isEmpty();
  }

  @Test
  @Tag("S-CLEAN-12")
  void aStreamedCommandThatIsClosedUnreadLeavesNoTimer() throws Exception {
    RunningCommand command = session.start(Command.of("x").streaming());
    FakeProvider.FakeProcess process = provider.next();
    process.print("unread");
    process.exit(new ExitStatus.Exited(0));
    command.close();
    Within.until(() -> session.ledger().open().isEmpty());
    assertThat(clock.armed()).isZero();
  }

  @Test
  @Tag("S-CLEAN-12")
  void aCommandThatHasEndedLeavesNoTimer() throws Exception {
    RunningCommand command = session.start(Command.of("x").timeout(Duration.ofHours(1)));
    provider.next().end(new ExitStatus.Exited(0));
    command.await();
    Within.until(() -> session.ledger().open().isEmpty());
    Within.until(() -> clock.armed() == 0);
  }

  @Test
  @Tag("S-EXEC-07")
  void anUnreadStreamIsNoReasonToWaitLongerForADescendantThatHoldsTheOutput() throws Exception {
    RunningCommand command = session.start(Command.of("x").streaming());
    FakeProvider.FakeProcess process = provider.next();
    process.print("unread");
    process.exit(new ExitStatus.Exited(3));
    Optional<ExecResult> result = command.await(LONG);
    assertThat(result).isPresent();
    assertThat(result.get().outputIncomplete()).isTrue();
    assertThat(new String(command.stdout().readAllBytes(), StandardCharsets.UTF_8))
        .isEqualTo("unread");
  }

  @Test
  @Tag("S-EXEC-10")
  void aPausedStreamIsWaitedForUntilItsReaderHasCaughtUp() throws Exception {
    RunningCommand command = session.start(Command.of("x").streaming());
    FakeProvider.FakeProcess process = provider.next();
    process.print(new byte[300_000]);
    process.exit(new ExitStatus.Exited(0));
    assertThat(command.await(Duration.ofSeconds(2))).isEmpty();
    assertThat(command.stdout().readNBytes(300_000)).hasSize(300_000);
    process.print("the rest");
    process.listener.onOutputClosed();
    assertThat(command.await(LONG).orElseThrow().outputIncomplete()).isFalse();
    assertThat(new String(command.stdout().readAllBytes(), StandardCharsets.UTF_8))
        .isEqualTo("the rest");
  }

  @Test
  @Tag("S-EXEC-09")
  void aCloseWhoseKillFailsWithAnErrorSaysSo() throws Exception {
    RunningCommand command = session.start(Command.of("x"));
    AssertionError broken = new AssertionError("the provider is broken");
    provider.onKill =
        id -> {
          throw broken;
        };
    assertThatThrownBy(command::close).isSameAs(broken);
    assertThat(session.ledger().open()).hasSize(1);
  }

  @Test
  @Tag("S-EXEC-09")
  void askingOftenForTheEndKeepsNothing() throws Exception {
    try (RunningCommand command = session.start(Command.of("x"))) {
      for (int i = 0; i < 100; i++) {
        assertThat(command.await(Duration.ofNanos(1))).isEmpty();
        assertThat(command.result()).isNotDone();
      }
      assertThat(((CommandHandle) command).entry().done().getNumberOfDependents()).isLessThan(10);
    }
  }

  @Test
  @Tag("S-EXEC-04")
  @Tag("S-EXEC-07")
  void aCommandThatHasEndedInTimeIsNotLateBecauseItsOutputIsHeldOpen() throws Exception {
    RunningCommand command = session.start(Command.of("x").timeout(Duration.ofMillis(400)));
    FakeProvider.FakeProcess process = provider.next();
    process.exit(new ExitStatus.Exited(0));
    ExecResult result = command.await();
    assertThat(result.successful()).isTrue();
    assertThat(result.outputIncomplete()).isTrue();
  }

  @Test
  @Tag("S-EXEC-04")
  void aTimeoutBeyondTheClockIsNoLimit() throws Exception {
    Command command = Command.of("x").timeout(Duration.ofSeconds(Long.MAX_VALUE));
    RunningCommand running = session.start(command);
    provider.next().end(new ExitStatus.Exited(0));
    assertThat(running.await().successful()).isTrue();
  }

  @Test
  @Tag("S-EXEC-03")
  void aWriteThatWasGivenUpIsNeverMixedWithTheNext() throws Exception {
    RunningCommand command = session.start(Command.of("x").stdin(Stdin.pipe()));
    FakeProvider.FakeProcess process = provider.next();
    CountDownLatch writing = new CountDownLatch(1);
    process.onWrite = id -> FakeProvider.stuck(writing, lifted);
    assertThatThrownBy(() -> writeWithin(command, "first", Duration.ofMillis(300)))
        .isInstanceOf(SandboxException.class);
    Within.await(writing);
    process.onWrite = id -> {};
    assertThatThrownBy(() -> writeWithin(command, "second", Duration.ofMillis(300)))
        .isInstanceOf(SandboxException.class);
    assertThat(process.written).isEmpty();
    lifted.countDown();
    writeWithin(command, "third", LONG);
    assertThat(process.written).containsExactly("first", "third");
  }

  private static void writeWithin(RunningCommand command, String text, Duration limit)
      throws Exception {
    try (CallScope scope = CallScope.withDeadline(limit)) {
      command.stdin().write(text.getBytes(StandardCharsets.UTF_8));
    }
  }

  @Test
  @Tag("S-EXEC-03")
  void aWriteThatIsStuckEndsWithItsCommand() throws Exception {
    RunningCommand command = session.start(Command.of("x").stdin(Stdin.pipe()));
    FakeProvider.FakeProcess process = provider.next();
    CountDownLatch writing = new CountDownLatch(1);
    process.onWrite = id -> FakeProvider.stuck(writing, lifted);
    var write =
        Within.start(
            () -> {
              writeWithin(command, "text", Duration.ofDays(1));
              return true;
            });
    Within.await(writing);
    process.end(new ExitStatus.Exited(0));
    assertThat(Within.failure(write.result())).isInstanceOf(java.io.IOException.class);
  }

  @Test
  @Tag("S-EXEC-03")
  void aCommandThatEndsBeforeTheEndOfItsInputIsAnsweredIsNoError() throws Exception {
    RunningCommand command = session.start(Command.of("x").stdin(Stdin.pipe()));
    FakeProvider.FakeProcess process = provider.next();
    process.onCloseInput =
        id -> {
          process.end(new ExitStatus.Exited(7));
          FakeProvider.stuck(new CountDownLatch(1), lifted);
        };
    command.stdin().close();
    assertThat(command.await().status()).isEqualTo(new ExitStatus.Exited(7));
  }

  @Test
  @Tag("S-EXEC-03")
  @Tag("S-ERR-02")
  void aCommandThatCannotGetItsInputWholeIsEndedWithTheFailure() throws Exception {
    SandboxException lost =
        SandboxException.builder(ErrorCode.TRANSPORT, Operation.EXEC, "the connection broke")
            .retryable(Retryable.YES)
            .build();
    provider.onStart =
        process ->
            process.onWrite =
                id -> {
                  throw lost;
                };
    assertThatThrownBy(() -> session.exec(Command.of("x").stdin(Stdin.bytes(new byte[10]))))
        .isInstanceOfSatisfying(
            SandboxException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.TRANSPORT);
              assertThat(e.retryable()).isNotEqualTo(Retryable.YES);
            });
    assertThat(provider.next().ended).isTrue();
  }
}
