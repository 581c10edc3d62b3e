package io.sandboxspi.core.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sandboxspi.Command;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExecResult;
import io.sandboxspi.ExitStatus;
import io.sandboxspi.Operation;
import io.sandboxspi.RunningCommand;
import io.sandboxspi.SandboxException;
import io.sandboxspi.Stdin;
import io.sandboxspi.core.pty.Within;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CommandsTest {
  private final FakeProvider provider = new FakeProvider();
  private EngineSession session;

  @BeforeEach
  void open() throws Exception {
    session = TestSessions.open(provider, Duration.ofMillis(100), EngineOptions.defaults());
  }

  @AfterEach
  void close() {
    session.close();
    assertThat(session.ledger().open()).isEmpty();
  }

  @Test
  @Tag("S-SPI-07")
  void launchesAndKillsRunOnPlatformThreads() throws Exception {
    List<Thread> seen = new CopyOnWriteArrayList<>();
    provider.onLaunch = id -> seen.add(Thread.currentThread());
    provider.onKill = id -> seen.add(Thread.currentThread());
    session.start(Command.of("x")).close();
    assertThat(seen)
        .hasSize(2)
        .extracting(thread -> thread.getName().replaceAll(".*-([a-z]+)-\\d+", "$1"))
        .containsExactly("launch", "cleanup");
    assertThat(seen).noneMatch(CommandsTest::isVirtual);
  }

  private static boolean isVirtual(Thread thread) {
    return thread.getClass().getSimpleName().contains("VirtualThread");
  }

  @Test
  @Tag("S-EXEC-05")
  void outputBeyondTheCaptureLimitIsCutAndCounted() throws Exception {
    var running = Within.start(() -> session.exec(Command.of("x").captureLimit(1_000)));
    FakeProvider.FakeProcess process = provider.next();
    for (int i = 0; i < 1_000; i++) {
      process.print("0123456789");
    }
    process.end(new ExitStatus.Exited(0));
    ExecResult result = Within.get(running.result());
    assertThat(result.stdout().truncated()).isTrue();
    assertThat(result.stdout().totalBytes()).isEqualTo(10_000);
    assertThat(result.stdout().bytes().length).isLessThanOrEqualTo(1_000);
    assertThat(result.stderr().truncated()).isFalse();
  }

  @Test
  @Tag("S-CANCEL-02")
  void aCancelledCommandFailsWithTheVeryReasonOnceItHasSettled() throws Exception {
    RunningCommand command = session.start(Command.of("x"));
    IllegalArgumentException reason = new IllegalArgumentException("X");
    CompletableFuture<ExecResult> result = command.result();
    assertThat(command.cancel(reason)).isTrue();
    assertThat(command.cancel(new IllegalArgumentException("Y"))).isFalse();
    assertThatThrownBy(command::await).isSameAs(reason);
    assertThat(Within.failure(result)).isSameAs(reason);
    assertThat(provider.next().ended).isTrue();
  }

  @Test
  @Tag("S-CANCEL-02")
  void cancellingTheFutureCancelsTheCommand() throws Exception {
    RunningCommand command = session.start(Command.of("x"));
    assertThat(command.result().cancel(true)).isTrue();
    assertThatThrownBy(command::await).isInstanceOf(CancellationException.class);
    assertThat(provider.next().ended).isTrue();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @Tag("S-CLEAN-01")
  void anEndIsReportedWithEitherOrderOfExitAndOutput(boolean exitFirst) throws Exception {
    RunningCommand command = session.start(Command.of("x"));
    FakeProvider.FakeProcess process = provider.next();
    if (exitFirst) {
      process.exit(new ExitStatus.Exited(7));
      process.print("late");
      process.listener.onOutputClosed();
    } else {
      process.print("late");
      process.listener.onOutputClosed();
      process.exit(new ExitStatus.Exited(7));
    }
    ExecResult result = command.await();
    assertThat(result.code()).hasValue(7);
    assertThat(result.stdout().text()).isEqualTo("late");
    assertThat(result.outputIncomplete()).isFalse();
    Within.until(() -> process.released);
  }

  @Test
  @Tag("S-CLEAN-01")
  void outputThatNeverEndsIsBoundedAndFlagged() throws Exception {
    RunningCommand command = session.start(Command.of("x"));
    FakeProvider.FakeProcess process = provider.next();
    process.print("some");
    process.exit(new ExitStatus.Exited(0));
    ExecResult result = command.await();
    assertThat(result.stdout().text()).isEqualTo("some");
    assertThat(result.outputIncomplete()).isTrue();
    process.print("too late");
    Within.until(() -> process.released);
  }

  @Test
  @Tag("S-CLEAN-07")
  void aKillWithoutAnExitSeenIsNoProof() throws Exception {
    RunningCommand command = session.start(Command.of("x"));
    FakeProvider.FakeProcess process = provider.next();
    process.ended = true; // the backend says that it is gone, and no exit is ever told
    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(command::close)
          .isInstanceOfSatisfying(
              SandboxException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.TERMINATION_UNCONFIRMED));
      assertThat(session.ledger().open()).hasSize(1);
    }
    process.end(new ExitStatus.Exited(0));
    Within.until(() -> session.ledger().open().isEmpty());
  }

  @Test
  void inputIsWrittenAndEnded() throws Exception {
    var running =
        Within.start(
            () ->
                session.exec(
                    Command.of("x").stdin(Stdin.bytes("in".getBytes(StandardCharsets.UTF_8)))));
    FakeProvider.FakeProcess process = provider.next();
    Within.until(() -> process.inputClosed);
    assertThat(process.written).containsExactly("in");
    process.end(new ExitStatus.Exited(0));
    assertThat(Within.get(running.result()).successful()).isTrue();
  }

  @Test
  @Tag("S-CLEAN-01")
  void aCommandThatGotAPartOfItsInputIsEnded() {
    SandboxException broken =
        SandboxException.of(ErrorCode.TRANSPORT, Operation.EXEC, "the connection broke");
    provider.onStart =
        process ->
            process.onWrite =
                id -> {
                  throw broken;
                };
    assertThatThrownBy(() -> session.exec(Command.of("x").stdin(Stdin.bytes(new byte[10]))))
        .isSameAs(broken);
    assertThat(provider.processes.values()).allMatch(process -> process.ended);
  }
}
