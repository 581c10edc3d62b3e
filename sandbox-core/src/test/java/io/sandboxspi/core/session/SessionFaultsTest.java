package io.sandboxspi.core.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sandboxspi.CallScope;
import io.sandboxspi.Capability;
import io.sandboxspi.CleanupTimings;
import io.sandboxspi.Command;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExitStatus;
import io.sandboxspi.FileInfo;
import io.sandboxspi.Operation;
import io.sandboxspi.RunningCommand;
import io.sandboxspi.SandboxEvent;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxListener;
import io.sandboxspi.SandboxSpec;
import io.sandboxspi.SessionState;
import io.sandboxspi.core.pty.Within;
import io.sandboxspi.spi.BackendFiles;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.ReleaseOutcome;
import io.sandboxspi.spi.SandboxBackend;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What must not be lost when a part of a session's life fails or comes late. */
class SessionFaultsTest {
  private static final CleanupTimings TIMINGS =
      new CleanupTimings(
          Duration.ofSeconds(5),
          Duration.ofSeconds(1),
          Duration.ofMillis(100),
          Duration.ofMillis(500));

  private final FakeProvider provider = new FakeProvider();
  private final CountDownLatch lifted = new CountDownLatch(1);

  @AfterEach
  void lift() {
    lifted.countDown();
  }

  private EngineSession open(SandboxListener... listeners) throws InterruptedException {
    SandboxSpec.Builder spec = SandboxSpec.builder().timings(TIMINGS);
    for (SandboxListener listener : listeners) {
      spec = spec.listener(listener);
    }
    return EngineSession.open(provider, spec.build(), EngineOptions.defaults());
  }

  @Test
  @Tag("S-LIFE-01")
  @Tag("S-LIFE-04")
  void aStopAfterACloseThatFailedDoesNotOpenTheSessionAgain() throws Exception {
    EngineSession session = open();
    provider.onRelease =
        id -> {
          throw new IllegalStateException("release");
        };
    assertThatThrownBy(session::close).isInstanceOf(SandboxException.class);
    session.stop();
    assertThat(session.state()).isEqualTo(SessionState.CLOSING);
    assertThatThrownBy(() -> session.exec(Command.of("x")))
        .isInstanceOfSatisfying(
            SandboxException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.SESSION_CLOSED));
    provider.onRelease = id -> {};
    session.close();
    assertThat(session.state()).isEqualTo(SessionState.CLOSED);
  }

  @Test
  @Tag("S-LIFE-04")
  void aReleaseThatEndsLateIsJoinedAndCounts() throws Exception {
    EngineSession session = open();
    CountDownLatch releasing = new CountDownLatch(1);
    provider.onRelease = id -> FakeProvider.stuck(releasing, lifted);
    assertThatThrownBy(session::close).isInstanceOf(SandboxException.class);
    Within.await(releasing);
    assertThatThrownBy(session::close).isInstanceOf(SandboxException.class);
    lifted.countDown();
    session.close();
    assertThat(session.state()).isEqualTo(SessionState.CLOSED);
    assertThat(provider.calls).containsOnlyOnce("release");
  }

  @Test
  @Tag("S-LIFE-05")
  void aCloseFromInsideAKillNeverWaitsForItself() throws Exception {
    EngineSession session = open();
    provider.deleted = ReleaseOutcome.DONE;
    session.start(Command.of("x"));
    CountDownLatch killed = new CountDownLatch(1);
    provider.onKill =
        id -> {
          session.close();
          killed.countDown();
        };
    session.close();
    assertThat(killed.getCount()).isZero();
    assertThat(session.state()).isEqualTo(SessionState.CLOSED);
    assertThat(provider.calls).containsOnlyOnce("kill");
  }

  @Test
  @Tag("S-FILE-03")
  @Tag("S-CLEAN-12")
  void aFileThatOpensAfterItsCallerHasLeftIsClosed() throws Exception {
    EngineSession session = open();
    CountDownLatch opening = new CountDownLatch(1);
    CountDownLatch closed = new CountDownLatch(1);
    BackendFiles files = provider.files;
    provider.files =
        (BackendFiles)
            java.lang.reflect.Proxy.newProxyInstance(
                BackendFiles.class.getClassLoader(),
                new Class<?>[] {BackendFiles.class},
                (proxy, method, arguments) -> {
                  if (!method.getName().equals("open")) {
                    return method.invoke(files, arguments);
                  }
                  FakeProvider.stuck(opening, lifted);
                  return new ByteArrayInputStream(new byte[0]) {
                    @Override
                    public void close() {
                      closed.countDown();
                    }
                  };
                });
    assertThatThrownBy(
            () -> {
              try (CallScope scope = CallScope.withDeadline(Duration.ofMillis(200));
                  InputStream in = session.files().open("x")) {
                assertThat(in).isNotNull();
              }
            })
        .isInstanceOf(SandboxException.class);
    Within.await(opening);
    lifted.countDown();
    Within.await(closed);
    session.close();
  }

  @Test
  @Tag("S-CLEAN-11")
  void aBackendThatComesLateIsDeletedEvenIfItsReleaseFails() throws Exception {
    FakeProvider slow =
        new FakeProvider() {
          @Override
          public SandboxBackend create(BackendRequest request, Deadline deadline) {
            FakeProvider.stuck(new CountDownLatch(1), lifted);
            return super.create(request, deadline);
          }
        };
    slow.onRelease =
        id -> {
          throw new IllegalStateException("release");
        };
    assertThatThrownBy(
            () -> {
              try (CallScope scope = CallScope.withDeadline(Duration.ofMillis(200))) {
                EngineSession.open(slow, SandboxSpec.defaults(), EngineOptions.defaults());
              }
            })
        .isInstanceOf(SandboxException.class);
    lifted.countDown();
    Within.until(() -> slow.calls.contains("delete"));
  }

  @Test
  @Tag("S-CLEAN-11")
  void aProviderThatCannotSayWhatItCanDoMakesNothing() {
    FakeProvider broken =
        new FakeProvider() {
          @Override
          public Set<Capability> capabilities() {
            throw new IllegalStateException("broken");
          }
        };
    assertThatThrownBy(
            () -> EngineSession.open(broken, SandboxSpec.defaults(), EngineOptions.defaults()))
        .isInstanceOf(RuntimeException.class);
    assertThat(broken.calls).isEmpty();
  }

  @Test
  @Tag("S-LIFE-09")
  void aFileCallThatIsStuckEndsWithItsSession() throws Exception {
    EngineSession session = open();
    CountDownLatch listing = new CountDownLatch(1);
    provider.files =
        new FakeProvider.NoFiles() {
          @Override
          public List<FileInfo> list(String path, Deadline deadline) {
            FakeProvider.stuck(listing, lifted);
            return List.of();
          }
        };
    var call = Within.start(() -> session.files().list("."));
    Within.await(listing);
    session.stop();
    assertThat(call.result()).isNotDone();
    session.close();
    assertThat(Within.failure(call.result()))
        .isInstanceOfSatisfying(
            SandboxException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.SESSION_CLOSED));
  }

  @Test
  @Tag("S-EVT-04")
  void aListenerThatThrowsAnErrorChangesNothing() throws Exception {
    List<SandboxEvent> events = new CopyOnWriteArrayList<>();
    EngineSession session =
        open(
            event -> {
              throw new NoClassDefFoundError("a broken listener");
            },
            events::add);
    provider.onStart = process -> process.end(new ExitStatus.Exited(0));
    assertThat(session.exec(Command.of("x")).successful()).isTrue();
    session.close();
    Within.until(() -> events.size() == 6);
  }

  @Test
  @Tag("S-CANCEL-02")
  void aListenerOfAScopeThatThrowsKeepsNoOtherFromTheCancellation() throws Exception {
    CompletableFuture<Boolean> told = new CompletableFuture<>();
    NoClassDefFoundError broken = new NoClassDefFoundError("broken");
    try (CallScope scope = CallScope.open()) {
      scope.onCancel(
          () -> {
            throw broken;
          });
      scope.onCancel(() -> told.complete(true));
      assertThatThrownBy(() -> scope.cancel(new IllegalArgumentException("X"))).isSameAs(broken);
      assertThat(scope.cancellation()).isPresent();
    }
    assertThat(told).isDone();
  }

  @Test
  @Tag("S-CLEAN-08")
  void aBackendThatIsProvenGoneNeedsNoExitAsEvidence() throws Exception {
    EngineSession session = open();
    RunningCommand command = session.start(Command.of("x"));
    provider.onKill =
        id -> {
          throw SandboxException.of(ErrorCode.BACKEND_GONE, Operation.EXEC, "gone");
        };
    command.close();
    Within.until(() -> session.ledger().open().isEmpty());
    session.close();
  }
}
