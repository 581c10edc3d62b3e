package io.sandboxspi.core.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sandboxspi.CallScope;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExitStatus;
import io.sandboxspi.PtyEndReason;
import io.sandboxspi.PtyRequest;
import io.sandboxspi.PtyStream;
import io.sandboxspi.PtyUpdate;
import io.sandboxspi.SandboxEvent;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxSpec;
import io.sandboxspi.YieldOptions;
import io.sandboxspi.core.pty.Within;
import io.sandboxspi.core.time.VirtualClock;
import io.sandboxspi.spi.OutputChannel;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class PtyServiceTest {
  private final VirtualClock clock = new VirtualClock();
  private final FakeProvider provider = new FakeProvider();
  private final List<SandboxEvent> events = new CopyOnWriteArrayList<>();
  private final AtomicInteger ids = new AtomicInteger(1_000);
  private final AtomicInteger collecting = new AtomicInteger();
  private final CountDownLatch lifted = new CountDownLatch(1);
  private EngineSession session;

  @BeforeEach
  void open() throws Exception {
    session =
        EngineSession.open(
            provider,
            SandboxSpec.builder().listener(events::add).build(),
            EngineOptions.defaults()
                .withClock(clock)
                .withPtyIds(ids::getAndIncrement)
                .withHooks(
                    (point, id) -> {
                      if (point == HookPoint.COLLECT_START) {
                        collecting.incrementAndGet();
                      }
                    }));
  }

  @AfterEach
  void close() throws Exception {
    lifted.countDown();
    provider.onKill = id -> {};
    var closing =
        Within.start(
            () -> {
              session.close();
              return true;
            });
    Within.get(closing.result());
    assertThat(session.ledger().open()).isEmpty();
  }

  private Within.Running<PtyUpdate> start() {
    return Within.start(() -> session.ptys().start(PtyRequest.of("prog")));
  }

  /** Starts a PTY and lets its first window pass. */
  private int live() throws Exception {
    int before = collecting.get();
    var starting = start();
    Within.until(() -> collecting.get() > before);
    return advanceUntil(starting, Duration.ofSeconds(10)).id();
  }

  private PtyUpdate advanceUntil(Within.Running<PtyUpdate> running, Duration step)
      throws Exception {
    Within.until(
        () -> {
          clock.advance(step);
          // Real threads must keep up.
          LockSupport.parkNanos(1_000_000);
          return running.result().isDone();
        });
    return Within.get(running.result());
  }

  @Test
  @Tag("S-PTY-05")
  void theWindowEndsAtItsTimeAndNotBefore() throws Exception {
    CountDownLatch collecting = new CountDownLatch(1);
    EngineSession hooked =
        EngineSession.open(
            provider,
            SandboxSpec.defaults(),
            EngineOptions.defaults()
                .withClock(clock)
                .withHooks(
                    (point, id) -> {
                      if (point == HookPoint.COLLECT_START) {
                        collecting.countDown();
                      }
                    }));
    var starting =
        Within.start(
            () -> hooked.ptys().start(PtyRequest.of("p").collectFor(Duration.ofMillis(1))));
    FakeProvider.FakeProcess process = provider.next();
    Within.await(collecting);
    process.print("hello");
    clock.advance(Duration.ofMillis(249));
    assertThat(starting.result()).isNotDone();
    PtyUpdate update = advanceUntil(starting, Duration.ofMillis(1));
    assertThat(update.output()).isEqualTo("hello");
    assertThat(update.running()).isTrue();
    hooked.close();
  }

  @Test
  @Tag("S-PTY-05")
  void aPollWaitsAtLeastFiveSecondsAndAnExitEndsItAtOnce() throws Exception {
    var starting = start();
    FakeProvider.FakeProcess process = provider.next();
    Within.until(() -> collecting.get() == 1);
    int id = advanceUntil(starting, Duration.ofSeconds(10)).id();
    var polling =
        Within.start(() -> session.ptys().poll(id, YieldOptions.forPoll().window(Duration.ZERO)));
    Within.until(() -> started("PTY_POLL") > 0);
    process.print("bye");
    process.end(new ExitStatus.Exited(3));
    PtyUpdate update = Within.get(polling.result());
    assertThat(update.output()).isEqualTo("bye");
    assertThat(update.exitCode()).hasValue(3);
    assertThat(update.endReason()).contains(PtyEndReason.EXITED);
    assertThatThrownBy(() -> session.ptys().poll(id))
        .isInstanceOfSatisfying(
            SandboxException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PTY_NOT_FOUND));
  }

  private long started(String operation) {
    return events.stream()
        .filter(e -> e instanceof SandboxEvent.Started s && s.operation().name().equals(operation))
        .count();
  }

  @Test
  @Tag("S-PTY-07")
  void aTerminateEndsACallThatWaits() throws Exception {
    int id = live();
    var polling = Within.start(() -> session.ptys().poll(id));
    Within.until(() -> started("PTY_POLL") > 0);
    PtyUpdate last = Within.get(Within.start(() -> session.ptys().terminate(id)).result());
    PtyUpdate polled = Within.get(polling.result().exceptionally(t -> last));
    assertThat(last.endReason()).contains(PtyEndReason.KILLED);
    assertThat(polled.running()).isFalse();
    assertThat(polled.endReason()).contains(PtyEndReason.KILLED);
  }

  @Test
  @Tag("S-PTY-07")
  void callsOnOnePtyAreServedInOrder() throws Exception {
    int id = live();
    FakeProvider.FakeProcess process = provider.processes.values().iterator().next();
    CountDownLatch entered = new CountDownLatch(1);
    process.onWrite =
        launch -> {
          entered.countDown();
          Within.await(lifted);
        };
    var first = Within.start(() -> session.ptys().write(id, "one"));
    Within.await(entered);
    process.onWrite = launch -> {};
    var second = Within.start(() -> session.ptys().write(id, "two"));
    Within.until(() -> started("PTY_WRITE") == 2);
    assertThat(process.written).isEmpty();
    lifted.countDown();
    // Time must not pass while a write is under way: it has a limit of its own.
    Within.until(() -> process.written.size() == 1);
    advanceUntil(first, Duration.ofMillis(10));
    Within.until(() -> process.written.size() == 2);
    advanceUntil(second, Duration.ofMillis(10));
    assertThat(process.written).containsExactly("one", "two");
  }

  @Test
  @Tag("S-OUT-02")
  void aCharacterSplitOverTwoUpdatesComesOutWhole() throws Exception {
    var starting = start();
    FakeProvider.FakeProcess process = provider.next();
    Within.until(() -> collecting.get() == 1);
    process.print(new byte[] {'a', (byte) 0xE2, (byte) 0x82});
    PtyUpdate first = advanceUntil(starting, Duration.ofSeconds(10));
    assertThat(first.output()).isEqualTo("a");
    process.print(new byte[] {(byte) 0xAC, (byte) 0xFF, (byte) 0xE2});
    process.end(new ExitStatus.Exited(0));
    PtyUpdate last = session.ptys().poll(first.id());
    assertThat(last.output()).isEqualTo("€\uFFFD\uFFFD");
  }

  @Test
  @Tag("S-REG-07")
  void stuckCallsToTheBackendDoNotHoldTheRegistry() throws Exception {
    int id = live();
    FakeProvider.FakeProcess process = provider.processes.values().iterator().next();
    CountDownLatch writing = new CountDownLatch(1);
    process.onWrite = launch -> FakeProvider.stuck(writing, lifted);
    CountDownLatch launching = new CountDownLatch(1);
    provider.onLaunch = launch -> FakeProvider.stuck(launching, lifted);
    CountDownLatch killing = new CountDownLatch(1);
    provider.onKill = launch -> FakeProvider.stuck(killing, lifted);
    var write = Within.start(() -> session.ptys().write(id, "x"));
    Within.await(writing);
    var start = start();
    Within.await(launching);
    assertThat(session.ptys().list()).hasSize(1);
    var terminate = Within.start(() -> session.ptys().terminate(id));
    Within.await(killing);
    assertThat(Within.get(Within.start(() -> session.ptys().list()).result())).isEmpty();
    lifted.countDown();
    assertThat(Within.get(terminate.result()).running()).isFalse();
    advanceUntil(write, Duration.ofMillis(10));
    assertThat(advanceUntil(start, Duration.ofSeconds(1)).running()).isTrue();
  }

  @Test
  @Tag("S-REG-03")
  @Tag("S-REG-02")
  @Tag("S-REG-05")
  void theLeastRecentPtyGivesItsPlaceAndWhatIsInUseDoesNot() throws Exception {
    List<Integer> live = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      live.add(live());
    }
    // Told in order: with the last start all pressure is told.
    Within.until(() -> started("PTY_START") == 64);
    assertThat(events).filteredOn(SandboxEvent.PtyPressure.class::isInstance).hasSize(1);
    CountDownLatch killing = new CountDownLatch(1);
    provider.onKill = id -> FakeProvider.stuck(killing, lifted);
    var polling = Within.start(() -> session.ptys().poll(live.get(0)));
    Within.until(() -> started("PTY_POLL") > 0);
    // The victim's kill is stuck; the start goes on without it and the id stays reserved.
    int added = live();
    Within.await(killing);
    assertThat(session.ptys().list())
        .hasSize(64)
        .extracting(info -> info.id())
        .contains(live.get(0), added)
        .doesNotContain(live.get(1));
    assertThat(session.ledger().open())
        .contains(new ResourceLedger.Resource("PTY_ID", live.get(1).toString(), "reserved"));
    lifted.countDown();
    Within.until(
        () ->
            !session
                .ledger()
                .open()
                .contains(
                    new ResourceLedger.Resource("PTY_ID", live.get(1).toString(), "reserved")));
    advanceUntil(polling, Duration.ofSeconds(1));
  }

  @Test
  @Tag("S-CANCEL-02")
  void aStartCancelledWhileItOpensLeavesNothing() throws Exception {
    CountDownLatch opening = new CountDownLatch(1);
    provider.onLaunch =
        id -> {
          opening.countDown();
          Within.await(lifted);
        };
    CompletableFuture<CallScope> scope = new CompletableFuture<>();
    IllegalArgumentException reason = new IllegalArgumentException("X");
    var starting =
        Within.start(
            () -> {
              try (CallScope opened = CallScope.open()) {
                scope.complete(opened);
                return session.ptys().start(PtyRequest.of("prog"));
              }
            });
    Within.await(opening);
    Within.get(scope).cancel(reason);
    assertThat(Within.failure(starting.result())).isSameAs(reason);
    Within.until(() -> session.ledger().open().isEmpty());
    assertThat(session.ptys().list()).isEmpty();
    Within.until(
        () ->
            events.stream()
                .anyMatch(
                    event ->
                        event instanceof SandboxEvent.Finished f
                            && f.outcome() == SandboxEvent.Outcome.CANCELLED));
  }

  @Test
  @Tag("S-CLEAN-01")
  void anOpenThatAnswersAfterItsTimeoutIsEndedAndReleased() throws Exception {
    CountDownLatch opening = new CountDownLatch(1);
    provider.onLaunch = id -> FakeProvider.stuck(opening, lifted);
    var starting = start();
    Within.await(opening);
    Within.until(
        () -> {
          clock.advance(Duration.ofSeconds(1));
          return starting.result().isDone();
        });
    assertThat(Within.failure(starting.result()))
        .isInstanceOfSatisfying(
            SandboxException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.OPEN_TIMEOUT));
    assertThat(session.ledger().open()).hasSize(1);
    lifted.countDown();
    FakeProvider.FakeProcess late = provider.next();
    Within.until(() -> late.ended && late.released && session.ledger().open().isEmpty());
  }

  @Test
  @Tag("S-PTY-13")
  void aLiveStreamHasEveryByteFromTheFirstThatWasNotCollected() throws Exception {
    var starting = start();
    FakeProvider.FakeProcess process = provider.next();
    Within.until(() -> collecting.get() == 1);
    process.print(new byte[] {'a', (byte) 0xE2, (byte) 0x82});
    int id = advanceUntil(starting, Duration.ofSeconds(10)).id();
    process.print(new byte[] {(byte) 0xAC, 'b'});
    PtyStream stream = session.ptys().attach(id);
    process.print("c");
    assertThat(stream.output().readNBytes(5)).containsExactly(0xE2, 0x82, 0xAC, 'b', 'c');
    assertThatThrownBy(() -> session.ptys().attach(id))
        .isInstanceOfSatisfying(
            SandboxException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.ALREADY_ATTACHED));
    stream.input().write("in".getBytes(StandardCharsets.UTF_8));
    assertThat(process.written).containsExactly("in");
    process.print("lost");
    stream.close();
    stream.close();
    process.print("kept");
    PtyStream again = session.ptys().attach(id);
    assertThat(again.output().readNBytes(4)).isEqualTo("kept".getBytes(StandardCharsets.UTF_8));
    process.end(new ExitStatus.Exited(3));
    assertThat(again.output().read()).isEqualTo(-1);
    again.close();
    PtyUpdate last = session.ptys().poll(id);
    assertThat(last.exitCode()).hasValue(3);
    assertThat(last.droppedBytes()).isEqualTo(4);
    assertThat(last.output()).isEmpty();
  }

  @Test
  @Tag("S-PTY-13")
  void aFullLiveStreamPausesTheProcessUntilItIsReadOrClosed() throws Exception {
    int id = live();
    FakeProvider.FakeProcess process = provider.processes.values().iterator().next();
    PtyStream stream = session.ptys().attach(id);
    ByteBuffer flood = ByteBuffer.allocate(1 << 20);
    assertThat(process.listener.onOutput(OutputChannel.STDOUT, flood)).isFalse();
    assertThat(process.resumes).hasValue(0);
    stream.close();
    assertThat(process.resumes).hasValue(1);
    assertThat(process.listener.onOutput(OutputChannel.STDOUT, ByteBuffer.allocate(1 << 20)))
        .isTrue();
  }

  @Test
  @Tag("S-PTY-06")
  void aWriteWaitsForItsOwnAnswerAndThenForSilence() throws Exception {
    int id = live();
    FakeProvider.FakeProcess process = provider.next();
    process.print("old ");
    clock.advance(Duration.ofMinutes(1));
    int before = collecting.get();
    YieldOptions quiet =
        YieldOptions.forWrite().window(Duration.ofSeconds(20)).quietAfter(Duration.ofSeconds(2));
    var write = Within.start(() -> session.ptys().write(id, "ask", quiet));
    Within.until(() -> collecting.get() > before);
    process.print("answer");
    Within.moving(write.result(), () -> clock.advance(Duration.ofMillis(500)));
    PtyUpdate update = Within.get(write.result());
    assertThat(update.output()).isEqualTo("old answer");
    assertThat(update.duration()).isGreaterThanOrEqualTo(Duration.ofSeconds(2));
    assertThat(update.duration()).isLessThan(Duration.ofSeconds(20));
  }

  @Test
  @Tag("S-PTY-06")
  void aPollFindsAtOnceWhatHasBeenQuietForLong() throws Exception {
    int id = live();
    provider.next().print("prompt");
    clock.advance(Duration.ofMinutes(1));
    PtyUpdate update =
        session.ptys().poll(id, YieldOptions.forPoll().quietAfter(Duration.ofSeconds(2)));
    assertThat(update.output()).isEqualTo("prompt");
  }
}
