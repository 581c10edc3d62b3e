package io.sandboxspi.core.session;

import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxSpec;
import io.sandboxspi.core.pty.Within;
import io.sandboxspi.spi.BackendRef;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.ReleaseOutcome;
import io.sandboxspi.spi.SandboxBackend;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A JVM that ends while a session is being opened, and opens another one then. */
final class JvmEnd {
  private JvmEnd() {}

  /** Prints what becomes of both. */
  public static void main(String[] arguments) throws Exception {
    CountDownLatch creating = new CountDownLatch(1);
    CountDownLatch ending = new CountDownLatch(1);
    FakeProvider provider =
        new FakeProvider() {
          @Override
          public SandboxBackend create(BackendRequest request, Deadline deadline) {
            FakeProvider.stuck(creating, ending);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(300)); // well into the JVM's end
            return super.create(request, deadline);
          }

          @Override
          public ReleaseOutcome delete(BackendRef ref, Deadline deadline)
              throws InterruptedException {
            System.out.println("deleted");
            return super.delete(ref, deadline);
          }
        };
    EngineSession kept = open(new FakeProvider());
    var opening = Within.start(() -> open(provider));
    Within.await(creating);
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  Within.until(() -> kept.state() == io.sandboxspi.SessionState.CLOSED);
                  try {
                    open(new FakeProvider());
                    System.out.println("opened");
                  } catch (SandboxException e) {
                    System.out.println("refused " + e.code());
                  } catch (InterruptedException e) {
                    System.out.println("interrupted");
                  }
                  ending.countDown();
                }));
    System.exit(opening.result().isDone() ? 1 : 0);
  }

  private static EngineSession open(FakeProvider provider) throws InterruptedException {
    return EngineSession.open(provider, SandboxSpec.defaults(), EngineOptions.defaults());
  }
}
