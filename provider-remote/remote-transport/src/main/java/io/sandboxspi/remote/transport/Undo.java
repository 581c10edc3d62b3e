package io.sandboxspi.remote.transport;

import io.sandboxspi.spi.Deadline;
import java.time.Duration;
import java.util.function.Consumer;

/** Takes back what was begun at a vendor, also when the caller was interrupted. */
public final class Undo {
  private static final Duration LIMIT = Duration.ofSeconds(10);

  private Undo() {}

  /** What is to be done. */
  @FunctionalInterface
  public interface Work {
    /** Does it. */
    void run(Deadline deadline) throws InterruptedException;
  }

  /**
   * Runs the work for ten seconds at most, without the caller's interrupt, which is set again
   * afterwards. A failure of the vendor is told, never thrown: the caller has one of its own.
   */
  public static void attempt(Work work, Consumer<RemoteException> failed) {
    boolean interrupted = Thread.interrupted();
    try {
      work.run(Deadline.after(LIMIT));
    } catch (RemoteException e) {
      failed.accept(e);
    } catch (InterruptedException e) {
      interrupted = true;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
