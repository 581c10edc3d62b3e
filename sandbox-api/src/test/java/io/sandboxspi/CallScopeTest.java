package io.sandboxspi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class CallScopeTest {
  private final RuntimeException x = new IllegalArgumentException("X");
  private final RuntimeException y = new IllegalArgumentException("Y");

  @Test
  void theFirstReasonStays() {
    try (CallScope scope = CallScope.open()) {
      assertThat(scope.cancellation()).isEmpty();
      assertThat(scope.cancel(x)).isTrue();
      assertThat(scope.cancel(y)).isFalse();
      assertThat(scope.cancellation()).containsSame(x);
    }
    assertThat(CallScope.current()).isEmpty();
  }

  @Test
  void theOuterReasonWinsAndIsSeenInside() {
    try (CallScope outer = CallScope.open();
        CallScope inner = CallScope.open()) {
      assertThat(CallScope.current()).containsSame(inner);
      inner.cancel(y);
      outer.cancel(x);
      assertThat(inner.cancellation()).containsSame(x);
    }
  }

  @Test
  void aPassedDeadlineIsOneErrorForTheScope() {
    try (CallScope scope = CallScope.withDeadline(Duration.ofNanos(1))) {
      while (scope.cancellation().isEmpty()) {
        Thread.onSpinWait();
      }
      assertThat(scope.cancellation())
          .get()
          .isInstanceOfSatisfying(
              SandboxException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.DEADLINE_EXCEEDED))
          .isSameAs(scope.cancellation().orElseThrow());
      assertThat(scope.remainingNanos()).hasValue(0);
    }
  }

  @Test
  void theNearestDeadlineCounts() {
    try (CallScope outer = CallScope.withDeadline(Duration.ofSeconds(5));
        CallScope inner = CallScope.withDeadline(Duration.ofDays(1_000_000_000))) {
      assertThat(inner.remainingNanos().orElseThrow()).isLessThan(TimeUnit.SECONDS.toNanos(6));
      assertThat(outer.remainingNanos()).isPresent();
    }
  }

  @Test
  void listenersAreToldOnceOrAtOnceAndNotAfterTheyLeft() {
    AtomicInteger told = new AtomicInteger();
    AtomicInteger left = new AtomicInteger();
    try (CallScope outer = CallScope.open();
        CallScope inner = CallScope.open()) {
      inner.onCancel(told::incrementAndGet);
      inner.onCancel(left::incrementAndGet).close();
      outer.cancel(x);
      assertThat(told).hasValue(1);
      inner.onCancel(told::incrementAndGet);
      assertThat(told).hasValue(2);
      assertThat(left).hasValue(0);
    }
  }

  @Test
  void anotherThreadCanWorkInsideAScopeButNotCloseIt() throws Exception {
    try (CallScope scope = CallScope.open()) {
      CompletableFuture<CallScope> seen =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  CallScope inside = scope.call(() -> CallScope.current().orElseThrow());
                  assertThat(CallScope.current()).isEmpty();
                  assertThatThrownBy(scope::close).isInstanceOf(IllegalStateException.class);
                  return inside;
                } catch (Exception e) {
                  throw new AssertionError(e);
                }
              });
      assertThat(seen.get(20, TimeUnit.SECONDS)).isSameAs(scope);
    }
  }

  @Test
  void scopesAreClosedInnermostFirst() {
    try (CallScope outer = CallScope.open()) {
      try (CallScope inner = CallScope.open()) {
        assertThatThrownBy(outer::close)
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("inner");
        assertThat(CallScope.current()).containsSame(inner);
      }
    }
    assertThat(CallScope.current()).isEmpty();
  }
}
