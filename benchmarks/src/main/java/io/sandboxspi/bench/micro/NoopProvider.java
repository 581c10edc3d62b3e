package io.sandboxspi.bench.micro;

import io.sandboxspi.Capability;
import io.sandboxspi.ExitStatus;
import io.sandboxspi.Signal;
import io.sandboxspi.TerminalSize;
import io.sandboxspi.spi.BackendFiles;
import io.sandboxspi.spi.BackendRef;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.LaunchId;
import io.sandboxspi.spi.LaunchRequest;
import io.sandboxspi.spi.Liveness;
import io.sandboxspi.spi.OutputChannel;
import io.sandboxspi.spi.ProcessListener;
import io.sandboxspi.spi.ReleaseOutcome;
import io.sandboxspi.spi.SandboxBackend;
import io.sandboxspi.spi.SandboxProcess;
import io.sandboxspi.spi.SandboxProvider;
import io.sandboxspi.spi.TerminationOutcome;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;

/** Every process says "hi" and ends before its launch returns. */
final class NoopProvider implements SandboxProvider {
  @Override
  public String name() {
    return "noop";
  }

  @Override
  public Set<Capability> capabilities() {
    return Set.of(Capability.TTY, Capability.CLIENT_CHOSEN_ID);
  }

  @Override
  public SandboxBackend create(BackendRequest request, Deadline deadline) {
    return new Backend();
  }

  @Override
  public SandboxBackend attach(BackendRef ref, Deadline deadline) {
    return new Backend();
  }

  @Override
  public ReleaseOutcome delete(BackendRef ref, Deadline deadline) {
    return ReleaseOutcome.DESTROYED;
  }

  private static final class Backend implements SandboxBackend {
    private static final byte[] HI = "hi\n".getBytes(StandardCharsets.UTF_8);
    private static final ExitStatus EXITED = new ExitStatus.Exited(0);
    private static final SandboxProcess PROCESS = new Ended();

    @Override
    public BackendRef ref() {
      return new BackendRef("noop", Map.of());
    }

    @Override
    public SandboxProcess launch(
        LaunchRequest request, ProcessListener listener, Deadline deadline) {
      listener.onOutput(OutputChannel.STDOUT, ByteBuffer.wrap(HI));
      listener.onOutputClosed();
      listener.onExit(EXITED);
      return PROCESS;
    }

    @Override
    public TerminationOutcome kill(LaunchId id, Deadline deadline) {
      return TerminationOutcome.alreadyGone();
    }

    @Override
    public BackendFiles files() {
      throw new UnsupportedOperationException("no files");
    }

    @Override
    public Liveness probe(Deadline deadline) {
      return Liveness.RUNNING;
    }

    @Override
    public ReleaseOutcome release(Deadline deadline) {
      return ReleaseOutcome.DONE;
    }
  }

  private static final class Ended implements SandboxProcess {
    @Override
    public void write(ByteBuffer bytes, Deadline deadline) {
      bytes.position(bytes.limit());
    }

    @Override
    public void closeInput(Deadline deadline) {
      // It has ended.
    }

    @Override
    public void resize(TerminalSize size, Deadline deadline) {
      // It has ended.
    }

    @Override
    public void signal(Signal signal, Deadline deadline) {
      // It has ended.
    }

    @Override
    public void resumeOutput() {
      // It was never paused.
    }

    @Override
    public void release() {
      // It holds nothing.
    }
  }
}
