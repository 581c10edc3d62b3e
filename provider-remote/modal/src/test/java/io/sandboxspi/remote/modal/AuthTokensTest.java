package io.sandboxspi.remote.modal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sandboxspi.fake.support.VendorFixture;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.remote.transport.Secret;
import io.sandboxspi.spi.Deadline;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** When the control plane's token is fetched again, and who waits for it. */
class AuthTokensTest {
  private static final Deadline SOON = Deadline.after(Duration.ofSeconds(30));

  private final AtomicInteger fetched = new AtomicInteger();
  private final CountDownLatch slow = new CountDownLatch(1);

  private Jwt next(Duration due, Duration end) {
    long now = System.nanoTime();
    int number = fetched.incrementAndGet();
    return new Jwt(Secret.of("token", "token-" + number), now + due.toNanos(), now + end.toNanos());
  }

  private static String value(AuthTokens tokens) throws InterruptedException {
    return tokens.current(SOON).reveal();
  }

  @Test
  void oneThatIsDueIsUsedOnWhileOneOtherIsFetchedInTheBackground() throws Exception {
    AuthTokens tokens =
        new AuthTokens(
            deadline -> {
              if (fetched.get() == 1) {
                assertThat(slow.await(20, TimeUnit.SECONDS)).isTrue();
              }
              return next(
                  fetched.get() == 0 ? Duration.ZERO : Duration.ofHours(1), Duration.ofHours(2));
            });
    for (int i = 0; i < 5; i++) {
      assertThat(value(tokens)).isEqualTo("token-1");
    }
    slow.countDown();
    assertThat(VendorFixture.until(() -> value(tokens).equals("token-2"))).isTrue();
    assertThat(value(tokens)).isEqualTo("token-2");
    assertThat(fetched).hasValue(2);
  }

  @Test
  void aFailureToRenewKeepsTheOldOneAndIsNotRepeatedAtOnce() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    AuthTokens tokens =
        new AuthTokens(
            deadline -> {
              if (asked.incrementAndGet() == 2) {
                throw new RemoteException(Kind.BROKEN, "not now");
              }
              return next(
                  fetched.get() == 0 ? Duration.ZERO : Duration.ofHours(1), Duration.ofHours(2));
            });
    assertThat(value(tokens)).isEqualTo("token-1");
    assertThat(VendorFixture.until(() -> value(tokens).equals("token-1") && asked.get() == 2))
        .isTrue();
    assertThat(VendorFixture.until(() -> value(tokens).equals("token-2"))).isTrue();
    assertThat(asked).hasValue(3);
  }

  @Test
  void oneThatIsOverOrRefusedIsWaitedForAndItsFailureSaid() throws Exception {
    AuthTokens tokens =
        new AuthTokens(
            deadline -> {
              if (fetched.get() == 3) {
                throw new RemoteException(Kind.BROKEN, "not now");
              }
              return next(Duration.ZERO, fetched.get() == 0 ? Duration.ZERO : Duration.ofHours(1));
            });
    assertThat(value(tokens)).isEqualTo("token-1");
    assertThat(value(tokens)).as("the first is over").isNotEqualTo("token-1");
    assertThat(VendorFixture.until(() -> value(tokens).equals("token-3"))).isTrue();
    tokens.refused(Secret.of("token", "token-2"));
    assertThat(value(tokens)).as("another one was refused").isEqualTo("token-3");
    tokens.refused(Secret.of("token", "token-3"));
    assertThat(catchThrowableOfType(RemoteException.class, () -> value(tokens)))
        .hasMessageContaining("not now");
  }
}
