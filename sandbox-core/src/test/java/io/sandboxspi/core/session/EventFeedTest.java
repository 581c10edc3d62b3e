package io.sandboxspi.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.sandboxspi.Command;
import io.sandboxspi.ExitStatus;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxEvent;
import io.sandboxspi.SandboxListener;
import io.sandboxspi.SandboxSpec;
import io.sandboxspi.SessionState;
import io.sandboxspi.core.pty.Within;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.SandboxBackend;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How listeners hear. */
class EventFeedTest {
  private final FakeProvider provider = new FakeProvider();
  private final CountDownLatch entered = new CountDownLatch(1);
  private final CountDownLatch lifted = new CountDownLatch(1);

  @AfterEach
  void lift() {
    lifted.countDown();
  }

  private EngineSession open(SandboxListener... listeners) throws InterruptedException {
    SandboxSpec.Builder spec = SandboxSpec.builder();
    for (SandboxListener listener : listeners) {
      spec = spec.listener(listener);
    }
    return EngineSession.open(provider, spec.build(), EngineOptions.defaults());
  }

  private static List<Long> upTo(long last) {
    return LongStream.rangeClosed(1, last).boxed().toList();
  }

  @Test
  @Tag("S-EVT-06")
  void whatABackendSaysOfItsMakingIsToldBetweenStartAndFinish() throws Exception {
    List<SandboxEvent> told = new CopyOnWriteArrayList<>();
    FakeProvider slow =
        new FakeProvider() {
          @Override
          public SandboxBackend create(BackendRequest request, Deadline deadline) {
            request.progress().accept("half of it is there");
            return super.create(request, deadline);
          }
        };
    EngineSession.open(
            slow, SandboxSpec.builder().listener(told::add).build(), EngineOptions.defaults())
        .close();
    Within.until(() -> told.size() >= 3);
    assertThat(told.get(0)).isInstanceOf(SandboxEvent.Started.class);
    assertThat(told.get(1))
        .isInstanceOfSatisfying(
            SandboxEvent.Progress.class,
            event -> {
              assertThat(event.operation()).isEqualTo(Operation.CREATE);
              assertThat(event.detail()).isEqualTo("half of it is there");
              assertThat(event.sequence()).isEqualTo(2);
            });
    assertThat(told.get(2)).isInstanceOf(SandboxEvent.Finished.class);
  }

  @Test
  @Tag("S-EVT-02")
  void operationsSideBySideAreToldInOrderOneAtATime() throws Exception {
    List<Long> told = new CopyOnWriteArrayList<>();
    AtomicInteger inside = new AtomicInteger();
    AtomicBoolean overlapped = new AtomicBoolean();
    EngineSession session =
        open(
            event -> {
              overlapped.compareAndSet(false, inside.getAndIncrement() > 0);
              told.add(event.sequence());
              inside.decrementAndGet();
            });
    List<Within.Running<Boolean>> threads = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      threads.add(
          Within.start(
              () -> {
                for (int n = 0; n < 50; n++) {
                  session.files().list(".");
                }
                return true;
              }));
    }
    for (var thread : threads) {
      Within.get(thread.result());
    }
    session.close();
    Within.until(() -> told.size() == 804);
    assertThat(told).containsExactlyElementsOf(upTo(804));
    assertThat(overlapped).isFalse();
  }

  @Test
  @Tag("S-EVT-05")
  void aListenerThatIsStuckHoldsUpNoCallNoCleanupAndNoOtherListener() throws Exception {
    List<SandboxEvent> late = new CopyOnWriteArrayList<>();
    List<SandboxEvent> prompt = new CopyOnWriteArrayList<>();
    EngineSession session =
        open(
            event -> {
              FakeProvider.stuck(entered, lifted);
              late.add(event);
            },
            prompt::add);
    Within.await(entered);
    provider.onStart = process -> process.end(new ExitStatus.Exited(0));
    assertThat(session.exec(Command.of("x")).successful()).isTrue();
    provider.onStart = process -> {};
    session.start(Command.of("y"));
    session.close();
    assertThat(session.state()).isEqualTo(SessionState.CLOSED);
    Within.until(() -> prompt.size() == 8);
    assertThat(late).isEmpty();
    lifted.countDown();
    Within.until(() -> late.size() == 8);
    assertThat(late).containsExactlyElementsOf(prompt);
  }

  @Test
  @Tag("S-EVT-05")
  void whatIsTooMuchForAListenerIsDroppedAndTheGapTells() throws Exception {
    List<Long> told = new CopyOnWriteArrayList<>();
    EngineSession session =
        open(
            event -> {
              FakeProvider.stuck(entered, lifted);
              told.add(event.sequence());
            });
    Within.await(entered);
    for (int i = 0; i < 2_100; i++) {
      session.files().list(".");
    }
    lifted.countDown();
    Within.until(() -> told.size() == 1 + EventFeed.LIMIT);
    assertThat(told).containsExactlyElementsOf(upTo(1 + EventFeed.LIMIT));
    session.close();
    Within.until(() -> told.size() == 3 + EventFeed.LIMIT);
    assertThat(told.get(told.size() - 1)).isEqualTo(2 + 2 * 2_100 + 2);
  }

  @Test
  @Tag("S-EVT-05")
  void aListenerDoesNotTakeItsCallersInterrupt() throws Exception {
    EngineSession session = open(event -> Thread.interrupted());
    var caller =
        Within.start(
            () -> {
              Thread.currentThread().interrupt();
              session.close();
              return Thread.currentThread().isInterrupted();
            });
    assertThat(Within.get(caller.result())).isTrue();
  }
}
