package io.sandboxspi.bench.micro;

import io.sandboxspi.Command;
import io.sandboxspi.ExecResult;
import io.sandboxspi.PtyRequest;
import io.sandboxspi.PtyUpdate;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.SandboxSpec;
import io.sandboxspi.core.Sandboxes;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** What the engine adds to a launch: everything from the call to the result, with its cleanup. */
@State(Scope.Thread)
public class EngineLaunch {
  private static final Command COMMAND = Command.of("/bin/echo", "hi");
  private static final PtyRequest REQUEST = PtyRequest.of("/bin/echo", "hi");

  @SuppressWarnings("NullAway.Init") // by the setup
  private SandboxSession session;

  /** Opens. */
  @Setup
  public void open() throws InterruptedException {
    session = Sandboxes.open(new NoopProvider(), SandboxSpec.defaults());
  }

  /** Closes. */
  @TearDown
  public void close() {
    session.close();
  }

  /** A command on pipes. */
  @Benchmark
  public ExecResult exec() throws InterruptedException {
    return session.exec(COMMAND);
  }

  /** A PTY that ends at once. */
  @Benchmark
  public PtyUpdate pty() throws InterruptedException {
    return session.ptys().start(REQUEST);
  }
}
