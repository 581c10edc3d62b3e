package io.sandboxspi.bench.micro;

import io.sandboxspi.Checkpoint;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.SandboxSpec;
import io.sandboxspi.SnapshotPolicy;
import io.sandboxspi.core.Sandboxes;
import io.sandboxspi.core.snapshot.MemorySnapshots;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** A local sandbox whose backend lives, with 200 files: resumed and left again. */
@State(Scope.Thread)
public class Resume {
  private static final SandboxSpec SPEC =
      SandboxSpec.builder().snapshots(SnapshotPolicy.in(MemorySnapshots.NAME)).build();

  @SuppressWarnings("NullAway.Init") // by the setup
  private Checkpoint checkpoint;

  /** Makes and leaves. */
  @Setup
  public void make() throws InterruptedException {
    SandboxSession session = Sandboxes.open("local", SPEC);
    for (int i = 0; i < 200; i++) {
      session.files().write("d" + i % 10 + "/f" + i, new byte[10_000]);
    }
    checkpoint = session.stop();
    Object unused = session.detach();
  }

  /** Removes. */
  @TearDown
  public void remove() throws InterruptedException {
    Sandboxes.resume(checkpoint, SPEC).delete();
  }

  /** Attaches. */
  @Benchmark
  public Checkpoint attach() throws InterruptedException {
    return Sandboxes.resume(checkpoint, SPEC).detach();
  }

  /** Attaches and finds that the workspace is as it was saved. */
  @Benchmark
  public Checkpoint compare() throws InterruptedException {
    return Sandboxes.restore(checkpoint, SPEC).detach();
  }
}
