package io.sandboxspi.core.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.sandboxspi.Capability;
import io.sandboxspi.spi.Availability;
import io.sandboxspi.spi.SandboxProvider;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ProviderFactsTest {
  private final SandboxProvider provider = mock(SandboxProvider.class);

  @Test
  @Tag("S-DISC-04")
  void aProviderThatDoesNotAnswerIsUnavailableAndInterrupted() throws Exception {
    CountDownLatch interrupted = new CountDownLatch(1);
    when(provider.capabilities())
        .thenAnswer(
            call -> {
              try {
                new CountDownLatch(1).await();
              } catch (InterruptedException e) {
                interrupted.countDown();
              }
              return Set.of();
            });
    ProviderFacts facts = ProviderFacts.ask(provider, Duration.ofMillis(50));
    assertThat(facts.capabilities()).isEmpty();
    assertThat(facts.availability())
        .isEqualTo(Availability.unavailable("it did not say in PT0.05S what it can do"));
    assertThat(interrupted.await(10, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  @Tag("S-DISC-04")
  void anInterruptedCallerDoesNotWait() throws Exception {
    when(provider.capabilities()).thenAnswer(call -> hang());
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> ProviderFacts.ask(provider)).isInstanceOf(InterruptedException.class);
    verify(provider, never()).create(any(), any());
  }

  @Test
  @Tag("S-DISC-01")
  void whatItThrowsComesThrough() {
    IllegalStateException broken = new IllegalStateException("broken");
    when(provider.capabilities()).thenThrow(broken);
    assertThatThrownBy(() -> ProviderFacts.ask(provider)).isSameAs(broken);
  }

  private static Set<Capability> hang() throws InterruptedException {
    new CountDownLatch(1).await();
    return Set.of();
  }
}
