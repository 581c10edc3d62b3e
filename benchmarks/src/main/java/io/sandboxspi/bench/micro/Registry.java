package io.sandboxspi.bench.micro;

import io.sandboxspi.core.pty.PtyRegistry;
import java.util.concurrent.ThreadLocalRandom;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** A registry that holds 48 others. */
@State(Scope.Thread)
public class Registry {
  private static final int OTHERS = 48;

  @SuppressWarnings("NullAway.Init") // by the setup
  private PtyRegistry<Object> registry;

  /** Fills it. */
  @Setup
  public void fill() {
    registry =
        new PtyRegistry<>(
            () -> ThreadLocalRandom.current().nextInt(PtyRegistry.MIN_ID, PtyRegistry.MAX_ID + 1),
            entry -> false);
    for (int i = 0; i < OTHERS; i++) {
      insert();
    }
  }

  private void insert() {
    Object entry = new Object();
    registry.unpin(registry.insert(entry).orElseThrow().id(), entry);
  }

  /** The life of an entry. */
  @Benchmark
  public void turn() {
    Object entry = new Object();
    int id = registry.insert(entry).orElseThrow().id();
    registry.pin(id);
    registry.unpin(id, entry);
    registry.unpin(id, entry);
    registry.detach(id);
    registry.free(id, entry);
  }
}
