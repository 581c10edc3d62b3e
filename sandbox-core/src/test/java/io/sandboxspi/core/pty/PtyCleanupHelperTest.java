package io.sandboxspi.core.pty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sandboxspi.CallScope;
import io.sandboxspi.CleanupTimings;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.SandboxException;
import io.sandboxspi.core.time.Caller;
import io.sandboxspi.core.time.Lane;
import io.sandboxspi.core.time.VirtualClock;
import io.sandboxspi.spi.TerminationOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PtyCleanupHelperTest {
  private final VirtualClock clock = new VirtualClock();
  private final ScriptedOperations operations = new ScriptedOperations();
  private final PtyCleanupHelper<String> helper =
      new PtyCleanupHelper<>(
          operations, CleanupTimings.DEFAULT, Lane.platform("test-cleanup"), clock);

  @AfterEach
  void releaseStalls() {
    operations.releaseAll();
  }

  private List<String> own(String... entries) {
    for (String entry : entries) {
      helper.own(entry, CompletableFuture.completedFuture(true));
    }
    return List.of(entries);
  }

  private void cleanUp(List<String> entries) throws InterruptedException {
    try (Caller caller = Caller.enter(clock)) {
      helper.cleanUp(helper.begin(entries), caller);
    }
  }

  private Within.Running<Boolean> startCleanUp(List<String> entries) {
    return Within.start(
        () -> {
          cleanUp(entries);
          return true;
        });
  }

  @Test
  @Tag("S-CLEAN-01")
  void anEntryIsOwnedUntilItsEndIsProven() throws Exception {
    own("a");
    assertThat(helper.owned()).containsExactly("a");
    cleanUp(List.of("a"));
    assertThat(helper.owned()).isEmpty();
    assertThat(operations.released()).containsExactly("a");
    assertThat(operations.closed()).containsExactly("a");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "c", "e"})
  @Tag("S-CLEAN-04")
  @Tag("S-CLEAN-06")
  @Tag("S-CLEAN-07")
  void oneFailureStopsNobodyAndOnlyTheFailedOneIsRetained(String failing) throws Exception {
    List<String> batch = own("a", "b", "c", "d", "e");
    IllegalStateException refused = new IllegalStateException("permission denied");
    operations.fail(failing, refused);
    assertThatThrownBy(() -> cleanUp(batch)).isSameAs(refused);
    assertThat(operations.killed()).containsExactlyInAnyOrderElementsOf(batch);
    assertThat(operations.released()).containsExactlyInAnyOrderElementsOf(batch);
    assertThat(helper.owned()).containsExactly(failing);
    operations.heal(failing);
    cleanUp(helper.owned());
    assertThat(helper.owned()).isEmpty();
    assertThat(operations.kills(failing)).isEqualTo(2);
  }

  @Test
  @Tag("S-CLEAN-04")
  @Tag("S-CANCEL-04")
  void whenAllFailTheFirstInBatchOrderIsThrown() {
    List<String> batch = own("a", "b", "c");
    // The failures settle in the opposite order.
    CountDownLatch cFailed = operations.failAfter("c", new IllegalStateException("c"));
    CountDownLatch bFailed = operations.failAfter("b", new IllegalStateException("b"), cFailed);
    operations.failAfter("a", new AssertionError("a"), bFailed);
    assertThatThrownBy(() -> cleanUp(batch))
        .hasMessage("a")
        .satisfies(
            thrown ->
                assertThat(thrown.getSuppressed())
                    .extracting(Throwable::getMessage)
                    .containsExactly("b", "c"));
    assertThat(helper.owned()).containsExactly("a", "b", "c");
  }

  @Test
  @Tag("S-CLEAN-02")
  @Tag("S-CLEAN-05")
  @Tag("S-CLEAN-06")
  @Tag("S-CLEAN-07")
  void killsThatNeverReturnAreBoundedPerEntryAndTheirResourcesGo() throws Exception {
    List<String> batch = own("a", "b", "c", "d");
    CountDownLatch b = operations.stall("b");
    CountDownLatch d = operations.stall("d");
    var running = startCleanUp(batch);
    Within.await(b);
    Within.await(d);
    Within.until(() -> operations.closed().size() == 2);
    assertThat(running.result()).isNotDone();
    clock.advance(CleanupTimings.DEFAULT.kill());
    assertThat(Within.failure(running.result()))
        .isInstanceOfSatisfying(
            SandboxException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.TERMINATION_UNCONFIRMED));
    assertThat(operations.released()).containsExactlyInAnyOrderElementsOf(batch);
    assertThat(helper.owned()).containsExactly("b", "d");
    assertThat(operations.retained()).containsExactlyInAnyOrder("b", "d");
  }

  @Test
  @Tag("S-CLEAN-07")
  void aKillThatAnswersLateStillCounts() throws Exception {
    List<String> batch = own("a");
    Within.await(startStalledAndPassBound(batch));
    assertThat(helper.owned()).containsExactly("a");
    operations.releaseAll();
    Within.until(() -> helper.owned().isEmpty());
    assertThat(operations.kills("a")).isEqualTo(1);
  }

  private CountDownLatch startStalledAndPassBound(List<String> batch) throws Exception {
    CountDownLatch entered = operations.stallStuck(batch.get(0));
    var running = startCleanUp(batch);
    Within.await(entered);
    clock.advance(CleanupTimings.DEFAULT.kill());
    assertThat(Within.failure(running.result())).isInstanceOf(SandboxException.class);
    return entered;
  }

  @Test
  @Tag("S-CLEAN-03")
  void aSecondCallerJoinsTheAttemptAndSeesItsOutcome() throws Exception {
    List<String> batch = own("a");
    IllegalStateException refused = new IllegalStateException("refused");
    CountDownLatch entered = operations.stallThenFail("a", refused);
    var first = startCleanUp(batch);
    Within.await(entered);
    var second = startCleanUp(batch);
    Within.until(() -> second.thread().getState() == Thread.State.TIMED_WAITING);
    CompletableFuture<CleanupResult> third = helper.begin("a");
    assertThat(second.result()).isNotDone();
    assertThat(third).isNotDone();
    operations.releaseAll();
    assertThat(Within.failure(first.result())).isSameAs(refused);
    assertThat(Within.failure(second.result())).isSameAs(refused);
    assertThat(Within.get(third).failure()).containsSame(refused);
    assertThat(operations.kills("a")).isEqualTo(1);
  }

  @Test
  @Tag("S-CANCEL-01")
  @Tag("S-CANCEL-02")
  @Tag("S-CANCEL-03")
  void aCallerCancelledWhileCleanupRunsGetsItsFirstReasonAfterSettlement() throws Exception {
    List<String> batch = own("a", "b", "c");
    IllegalStateException refused = new IllegalStateException("refused");
    CountDownLatch entered = operations.stallThenFail("a", refused);
    IllegalArgumentException reason = new IllegalArgumentException("X");
    CompletableFuture<CallScope> scope = new CompletableFuture<>();
    var running =
        Within.start(
            () -> {
              try (CallScope opened = CallScope.open()) {
                scope.complete(opened);
                cleanUp(batch);
              }
              return true;
            });
    Within.await(entered);
    assertThat(Within.get(scope).cancel(reason)).isTrue();
    for (int i = 0; i < 5; i++) {
      running.thread().interrupt();
      assertThat(Within.get(scope).cancel(new IllegalArgumentException("Y" + i))).isFalse();
    }
    Within.until(() -> operations.closed().size() == 2);
    assertThat(running.result()).isNotDone();
    operations.releaseAll();
    Throwable thrown = Within.failure(running.result());
    assertThat(thrown).isSameAs(reason);
    assertThat(thrown.getSuppressed()).containsExactly(refused);
    assertThat(operations.killed()).hasSize(3);
  }

  @Test
  @Tag("S-CANCEL-01")
  @Tag("S-CANCEL-02")
  void anInterruptedCallerGetsAnInterruptedExceptionAndItsFlagAfterSettlement() throws Exception {
    List<String> batch = own("a", "b");
    CountDownLatch entered = operations.stall("b");
    AtomicBoolean flag = new AtomicBoolean();
    var running =
        Within.start(
            () -> {
              try {
                cleanUp(batch);
                return true;
              } finally {
                flag.set(Thread.currentThread().isInterrupted());
              }
            });
    Within.await(entered);
    running.thread().interrupt();
    Within.until(() -> operations.closed().contains("a"));
    assertThat(running.result()).isNotDone();
    clock.advance(CleanupTimings.DEFAULT.kill());
    Throwable thrown = Within.failure(running.result());
    assertThat(thrown).isInstanceOf(InterruptedException.class);
    assertThat(thrown.getSuppressed())
        .singleElement()
        .isInstanceOfSatisfying(
            SandboxException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.TERMINATION_UNCONFIRMED));
    assertThat(flag).isTrue();
    assertThat(helper.owned()).containsExactly("b");
  }

  @Test
  @Tag("S-CANCEL-04")
  void aCancellationAfterAFailureStillWins() throws Exception {
    List<String> batch = own("a", "b");
    IllegalStateException refused = new IllegalStateException("refused");
    operations.fail("a", refused);
    CountDownLatch entered = operations.stall("b");
    CompletableFuture<CallScope> scope = new CompletableFuture<>();
    IllegalArgumentException reason = new IllegalArgumentException("X");
    var running =
        Within.start(
            () -> {
              try (CallScope opened = CallScope.open()) {
                scope.complete(opened);
                cleanUp(batch);
              }
              return true;
            });
    Within.await(entered);
    Within.until(() -> operations.retained().contains("a"));
    Within.get(scope).cancel(reason);
    clock.advance(CleanupTimings.DEFAULT.kill());
    Throwable thrown = Within.failure(running.result());
    assertThat(thrown).isSameAs(reason);
    assertThat(thrown.getSuppressed()).hasSize(2).startsWith(refused);
  }

  @Test
  @Tag("S-CLEAN-01")
  void aHandleThatComesLateIsEndedOnceMore() throws Exception {
    CompletableFuture<Boolean> opening = new CompletableFuture<>();
    helper.own("a", opening);
    cleanUp(List.of("a"));
    assertThat(helper.owned()).containsExactly("a");
    opening.complete(true);
    Within.until(() -> helper.owned().isEmpty());
    assertThat(operations.kills("a")).isEqualTo(2);
    assertThat(operations.released()).hasSize(2);
  }

  @Test
  @Tag("S-CLEAN-01")
  void aHandleThatComesDuringAnAttemptIsEndedByAnotherOne() throws Exception {
    CompletableFuture<Boolean> opening = new CompletableFuture<>();
    helper.own("a", opening);
    CountDownLatch entered = operations.stallStuck("a");
    var running = startCleanUp(List.of("a"));
    Within.await(entered);
    opening.complete(true);
    operations.releaseAll();
    assertThat(Within.get(running.result())).isTrue();
    Within.until(() -> helper.owned().isEmpty());
    assertThat(operations.kills("a")).isEqualTo(2);
  }

  @Test
  @Tag("S-CLEAN-08")
  void theEndOfTheBackendProvesTheEndOfEveryEntry() throws Exception {
    List<String> batch = own("a", "b");
    operations.fail("a", new IllegalStateException("refused"));
    CountDownLatch entered = operations.stall("b");
    var running = startCleanUp(batch);
    Within.await(entered);
    Within.until(() -> operations.retained().contains("a"));
    List<CompletableFuture<CleanupResult>> confirmed = helper.confirmAll();
    for (CompletableFuture<CleanupResult> each : confirmed) {
      assertThat(Within.get(each).failure()).isEmpty();
    }
    Within.until(() -> helper.owned().isEmpty());
    assertThat(operations.kills("a")).isEqualTo(1);
    assertThat(Within.failure(running.result())).hasMessage("refused");
  }

  @Test
  @Tag("S-CLEAN-05")
  @Tag("S-CLEAN-06")
  void aReleaseThatIsStuckIsBoundedAndNotStartedTwice() throws Exception {
    List<String> batch = own("a");
    CountDownLatch entered = operations.stallRelease("a");
    for (int i = 0; i < 2; i++) {
      var running = startCleanUp(batch);
      Within.await(entered);
      Within.until(() -> clock.dueWithin(CleanupTimings.DEFAULT.join()));
      clock.advance(CleanupTimings.DEFAULT.join());
      assertThat(Within.failure(running.result()))
          .isInstanceOfSatisfying(
              SandboxException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.RELEASE_FAILED));
      assertThat(helper.owned()).containsExactly("a");
    }
    operations.releaseAll();
    Within.until(() -> helper.owned().isEmpty());
    assertThat(operations.releases("a")).isEqualTo(1);
  }

  @Test
  @Tag("S-CLEAN-04")
  void aReleaseThatThrowsIsReportedAndTheEntryIsClosed() {
    List<String> batch = own("a", "b");
    IllegalStateException broken = new IllegalStateException("descriptor");
    operations.failRelease("a", broken);
    assertThatThrownBy(() -> cleanUp(batch)).isSameAs(broken);
    assertThat(helper.owned()).isEmpty();
  }

  @Test
  @Tag("S-CLEAN-05")
  void aBatchIsEndedInOneOperationAndTheRestOneByOne() throws Exception {
    List<String> batch = own("a", "b", "c");
    operations.batch(List.of("a", "c"));
    cleanUp(batch);
    assertThat(operations.batches()).containsExactly(batch);
    assertThat(operations.killed()).containsExactly("b");
    assertThat(helper.owned()).isEmpty();
  }

  @Test
  @Tag("S-CLEAN-05")
  void aBatchOperationThatStallsLeavesTimeForEachEntry() throws Exception {
    List<String> batch = own("a", "b");
    CountDownLatch entered = operations.stallBatch();
    var running = startCleanUp(batch);
    Within.await(entered);
    Duration half = CleanupTimings.DEFAULT.kill().dividedBy(2);
    Within.until(() -> clock.dueWithin(half));
    clock.advance(half);
    assertThat(Within.get(running.result())).isTrue();
    assertThat(operations.killed()).containsExactlyInAnyOrder("a", "b");
  }

  @Test
  @Tag("S-CLEAN-02")
  void stuckKillsKeepNobodyElseWaiting() throws Exception {
    List<String> stuck = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      stuck.addAll(own("stuck" + i));
      operations.stallStuck("stuck" + i);
    }
    List<CompletableFuture<CleanupResult>> attempts = helper.begin(stuck);
    own("free");
    cleanUp(List.of("free"));
    assertThat(attempts).noneMatch(CompletableFuture::isDone);
    clock.advance(CleanupTimings.DEFAULT.kill().plus(Duration.ofMillis(1)));
    for (CompletableFuture<CleanupResult> attempt : attempts) {
      assertThat(Within.get(attempt).outcome()).isInstanceOf(TerminationOutcome.Unconfirmed.class);
    }
  }

  @Test
  @Tag("S-CLEAN-03")
  void cleaningUpTwiceAfterAProofDoesNothing() throws Exception {
    List<String> batch = own("a");
    cleanUp(batch);
    cleanUp(batch);
    assertThat(operations.kills("a")).isEqualTo(1);
    assertThat(Within.get(helper.begin("a")).outcome()).isEqualTo(TerminationOutcome.alreadyGone());
  }

  @Test
  @Tag("S-CLEAN-05")
  void anAttemptSettlesEvenIfTheNewsOfItCannotBeTold() throws Exception {
    own("a", "b");
    operations.tellingFails(new OutOfMemoryError("no thread"));
    operations.fail("b", new IllegalStateException("b"));
    assertThat(Within.get(helper.begin("a")).outcome().proven()).isTrue();
    assertThat(Within.get(helper.begin("b")).outcome().proven()).isFalse();
    assertThat(helper.isClosed("a")).isTrue();
  }

  @Test
  @Tag("S-CLEAN-05")
  @Tag("S-CLEAN-07")
  void aBatchOperationThatGivesUpWhenInterruptedDoesNotEndTheAttemptsOneByOne() throws Exception {
    List<String> entries = own("a", "b");
    CountDownLatch entered = operations.stallBatchThenGiveUp();
    var running = startCleanUp(entries);
    Within.await(entered);
    CountDownLatch first = operations.stall("a");
    CountDownLatch second = operations.stall("b");
    clock.advance(Duration.ofMillis(2_600));
    Within.await(first);
    Within.await(second);
    Within.await(operations.gaveUp());
    operations.releaseAll();
    assertThat(Within.get(running.result())).isTrue();
    assertThat(operations.closed()).containsExactlyInAnyOrder("a", "b");
  }

  @Test
  @Tag("S-CLEAN-08")
  void aDestroyedBackendIsNotAskedToEndItsEntries() throws Exception {
    own("a", "b", "c");
    for (var attempt : helper.confirmAll()) {
      Within.get(attempt);
    }
    assertThat(operations.batches()).isEmpty();
    assertThat(operations.killed()).isEmpty();
    assertThat(helper.owned()).isEmpty();
  }

  @Test
  @Tag("S-CLEAN-01")
  @Tag("S-CLEAN-07")
  void aProofFromBeforeALateHandleClosesNothing() throws Exception {
    CompletableFuture<Boolean> opening = new CompletableFuture<>();
    helper.own("a", opening);
    CountDownLatch entered = operations.stallStuck("a");
    var first = helper.begin("a");
    Within.await(entered);
    clock.advance(Duration.ofSeconds(5));
    assertThat(Within.get(first).outcome().proven()).isFalse();
    operations.fail("a", new IllegalStateException("it lives"));
    opening.complete(true);
    Within.until(() -> operations.retained().size() == 2);
    operations.releaseAll();
    operations.awaitUnstuck();
    Within.get(helper.begin("a"));
    assertThat(helper.isClosed("a")).isFalse();
    operations.heal("a");
    assertThat(Within.get(helper.begin("a")).outcome().proven()).isTrue();
    assertThat(helper.isClosed("a")).isTrue();
  }
}
