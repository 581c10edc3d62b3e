package io.sandboxspi.core.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sandboxspi.CallScope;
import io.sandboxspi.CleanupTimings;
import io.sandboxspi.Command;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.PtyRequest;
import io.sandboxspi.RunningCommand;
import io.sandboxspi.SandboxEvent;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxSpec;
import io.sandboxspi.SessionState;
import io.sandboxspi.SnapshotPolicy;
import io.sandboxspi.core.pty.Within;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.ReleaseOutcome;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class SessionLifeTest {
  private static final CleanupTimings SHORT =
      new CleanupTimings(
          Duration.ofMillis(300),
          Duration.ofMillis(100),
          Duration.ofMillis(100),
          Duration.ofMillis(500));

  private final FakeProvider provider = new FakeProvider();
  private final List<SandboxEvent> events = new CopyOnWriteArrayList<>();
  private final CountDownLatch lifted = new CountDownLatch(1);

  @AfterEach
  void lift() {
    lifted.countDown();
  }

  private EngineSession open() throws InterruptedException {
    return EngineSession.open(
        provider,
        SandboxSpec.builder().timings(SHORT).listener(events::add).build(),
        EngineOptions.defaults());
  }

  private static void assertClosed(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            SandboxException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.SESSION_CLOSED));
  }

  @Test
  @Tag("S-REAP-04")
  void aBackendIsDurableIfItIsCalledSoOrSaved() throws Exception {
    EngineSession.open(provider, SandboxSpec.defaults(), EngineOptions.defaults()).close();
    SandboxSpec durable = SandboxSpec.builder().durable(true).build();
    EngineSession.open(provider, durable, EngineOptions.defaults()).close();
    assertThat(provider.requests).extracting(BackendRequest::durable).containsExactly(false, true);
    assertThat(SandboxSpec.builder().snapshots(SnapshotPolicy.in("memory")).build().durable())
        .isTrue();
  }

  @Test
  @Tag("S-LIFE-01")
  void everyCallIsRefusedOutsideActiveWithoutACallToTheBackend() throws Exception {
    EngineSession session = open();
    session.close();
    assertThat(session.state()).isEqualTo(SessionState.CLOSED);
    int calls = provider.calls.size();
    assertClosed(() -> session.exec(Command.of("x")));
    assertClosed(() -> session.start(Command.of("x")));
    assertClosed(() -> session.ptys().start(PtyRequest.of("x")));
    assertClosed(() -> session.ptys().write(1_000, "x"));
    assertClosed(() -> session.ptys().poll(1_000));
    assertClosed(() -> session.ptys().terminate(1_000));
    assertClosed(() -> session.ptys().terminateAll());
    assertClosed(() -> session.files().read("x"));
    assertClosed(() -> session.files().write("x", new byte[0]));
    assertClosed(() -> session.files().list("."));
    assertClosed(session::probe);
    assertThat(provider.calls).hasSize(calls);
  }

  @Test
  @Tag("S-LIFE-03")
  void closeAttemptsEveryStepAndThrowsTheFirstFailure() throws Exception {
    EngineSession session = open();
    RunningCommand command = session.start(Command.of("x"));
    IllegalStateException kill = new IllegalStateException("kill");
    SandboxException release =
        SandboxException.of(ErrorCode.TRANSPORT, Operation.SHUTDOWN, "release");
    provider.onKill =
        id -> {
          throw kill;
        };
    provider.onRelease =
        id -> {
          throw release;
        };
    provider.deleted = ReleaseOutcome.DONE;
    assertThatThrownBy(session::close)
        .isSameAs(kill)
        .satisfies(thrown -> assertThat(thrown.getSuppressed()).contains(release));
    assertThat(provider.calls).contains("kill", "release", "delete");
    assertThat(session.state()).isEqualTo(SessionState.CLOSING);
    assertClosed(() -> session.exec(Command.of("x")));
    assertThat(session.ledger().open()).hasSize(1);
    provider.onKill = id -> {};
    provider.onRelease = id -> {};
    session.close();
    assertThat(session.state()).isEqualTo(SessionState.CLOSED);
    assertThat(session.ledger().open()).isEmpty();
    assertThat(provider.calls).containsOnlyOnce("delete");
    assertThat(Within.failure(command.result())).isInstanceOf(SandboxException.class);
  }

  @Test
  @Tag("S-LIFE-03")
  void theDeletionOfTheBackendProvesTheEndOfItsProcesses() throws Exception {
    EngineSession session = open();
    session.start(Command.of("x"));
    provider.onKill =
        id -> {
          throw new IllegalStateException("kill");
        };
    session.close();
    assertThat(session.state()).isEqualTo(SessionState.CLOSED);
    assertThat(session.ledger().open()).isEmpty();
  }

  @Test
  @Tag("S-LIFE-03")
  @Tag("S-CANCEL-02")
  void anInterruptDoesNotStopACloseAndTheFlagIsSetAgain() throws Exception {
    EngineSession session = open();
    session.start(Command.of("x"));
    CountDownLatch killing = new CountDownLatch(1);
    provider.onKill =
        id -> {
          killing.countDown();
          Within.await(lifted);
        };
    AtomicBoolean flag = new AtomicBoolean();
    var closing =
        Within.start(
            () -> {
              session.close();
              flag.set(Thread.interrupted());
              return true;
            });
    Within.await(killing);
    closing.thread().interrupt();
    lifted.countDown();
    assertThat(Within.get(closing.result())).isTrue();
    assertThat(flag).isTrue();
    assertThat(session.state()).isEqualTo(SessionState.CLOSED);
  }

  @Test
  @Tag("S-LIFE-04")
  void concurrentStopsAndClosesJoinOneAnother() throws Exception {
    EngineSession session = open();
    session.start(Command.of("x"));
    CountDownLatch killing = new CountDownLatch(1);
    provider.onKill = id -> FakeProvider.stuck(killing, lifted);
    var stop =
        Within.start(
            () -> {
              session.stop();
              return true;
            });
    Within.await(killing);
    var close =
        Within.start(
            () -> {
              session.close();
              return true;
            });
    var second =
        Within.start(
            () -> {
              session.close();
              return true;
            });
    Within.until(() -> count("CLOSE") == 2);
    assertThat(close.result()).isNotDone();
    lifted.countDown();
    Within.get(stop.result());
    Within.get(close.result());
    Within.get(second.result());
    assertThat(provider.calls).containsOnlyOnce("kill", "release", "delete");
    assertThatCode(session::close).doesNotThrowAnyException();
    assertThat(provider.calls).containsOnlyOnce("kill", "release", "delete");
  }

  private long count(String operation) {
    return events.stream()
        .filter(e -> e instanceof SandboxEvent.Started s && s.operation().name().equals(operation))
        .count();
  }

  @Test
  @Tag("S-LIFE-05")
  void aCloseFromInsideAClosingStepNeverWaitsForItself() throws Exception {
    AtomicReference<EngineSession> self = new AtomicReference<>();
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    CountDownLatch told = new CountDownLatch(2);
    EngineSession session =
        EngineSession.open(
            provider,
            SandboxSpec.builder()
                .timings(SHORT)
                .listener(
                    event -> {
                      if (self.get() != null && event.toString().contains("CLOSE")) {
                        try {
                          self.get().close();
                          self.get().stop();
                        } catch (InterruptedException | RuntimeException e) {
                          thrown.set(e);
                        }
                        told.countDown();
                      }
                    })
                .build(),
            EngineOptions.defaults());
    self.set(session);
    provider.onRelease = id -> session.close();
    provider.onDelete = id -> session.close();
    var closing =
        Within.start(
            () -> {
              session.close();
              return true;
            });
    assertThat(Within.get(closing.result())).isTrue();
    assertThat(session.state()).isEqualTo(SessionState.CLOSED);
    Within.await(told);
    if (thrown.get() != null) {
      assertThat(thrown.get())
          .isInstanceOfSatisfying(
              SandboxException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.CHECKPOINT_PENDING));
    }
  }

  @Test
  @Tag("S-LIFE-07")
  void aForgottenSessionIsClosed() throws Exception {
    forget();
    Within.until(
        () -> {
          System.gc();
          return provider.calls.contains("delete");
        });
    assertThat(provider.calls).contains("kill");
  }

  private void forget() throws InterruptedException {
    open().start(Command.of("x"));
  }

  @Test
  @Tag("S-EVT-01")
  @Tag("S-EVT-02")
  @Tag("S-EVT-04")
  void everyOperationHasAStartAndAFinishWithItsOutcome() throws Exception {
    EngineSession session =
        EngineSession.open(
            provider,
            SandboxSpec.builder()
                .timings(SHORT)
                .listener(
                    event -> {
                      throw new IllegalStateException("a broken listener");
                    })
                .listener(events::add)
                .build(),
            EngineOptions.defaults());
    CompletableFuture<CallScope> scope = new CompletableFuture<>();
    var running =
        Within.start(
            () -> {
              try (CallScope opened = CallScope.open()) {
                scope.complete(opened);
                return session.exec(Command.of("slow"));
              }
            });
    provider.next();
    IllegalArgumentException reason = new IllegalArgumentException("X");
    Within.get(scope).cancel(reason);
    assertThat(Within.failure(running.result())).isSameAs(reason);
    assertThatThrownBy(() -> session.files().stat("missing")).isInstanceOf(SandboxException.class);
    session.files().list(".");
    session.close();
    Within.until(this::closeTold);
    List<SandboxEvent.Finished> finished =
        events.stream()
            .filter(SandboxEvent.Finished.class::isInstance)
            .map(SandboxEvent.Finished.class::cast)
            .toList();
    assertThat(finished)
        .extracting(f -> f.operation() + " " + f.outcome())
        .containsExactly(
            "CREATE OK", "EXEC CANCELLED", "FILE_STAT ERROR", "FILE_LIST OK", "CLOSE OK");
    assertThat(finished.get(2).error()).contains(ErrorCode.FILE_NOT_FOUND);
    assertThat(events)
        .extracting(SandboxEvent::sequence)
        .containsExactlyElementsOf(LongStream.rangeClosed(1, events.size()).boxed().toList());
  }

  /** Told in order: nothing comes after it. */
  private boolean closeTold() {
    return events.stream()
        .anyMatch(
            e -> e instanceof SandboxEvent.Finished f && f.operation().name().equals("CLOSE"));
  }

  @Test
  @Tag("S-EVT-03")
  @Tag("S-ERR-03")
  void noSecretReachesEventsErrorsOrTexts() throws Exception {
    EngineSession session = open();
    provider.onLaunch =
        id -> {
          throw new IllegalStateException("the provider failed");
        };
    Command command = Command.of("prog", "ARG-canary").env("TOKEN", "ENV-canary").workdir("dir");
    PtyRequest request = PtyRequest.of("prog", "ARG-canary").env("TOKEN", "ENV-canary");
    assertThatThrownBy(() -> session.exec(command))
        .satisfies(e -> assertThat(chain(e)).doesNotContain("canary"));
    assertThatThrownBy(() -> session.ptys().start(request))
        .satisfies(e -> assertThat(chain(e)).doesNotContain("canary"));
    session.close();
    Within.until(this::closeTold);
    assertThat(events.toString() + session + command + request).doesNotContain("canary");
  }

  private static String chain(Throwable thrown) {
    StringBuilder text = new StringBuilder();
    for (Throwable t = thrown; t != null; t = t.getCause()) {
      text.append(t);
      if (t instanceof SandboxException e) {
        text.append(e.context());
      }
    }
    return text.toString();
  }
}
