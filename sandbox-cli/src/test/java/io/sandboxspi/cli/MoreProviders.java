package io.sandboxspi.cli;

import io.sandboxspi.Capability;
import io.sandboxspi.ExitStatus;
import io.sandboxspi.local.LocalProvider;
import io.sandboxspi.spi.Availability;
import io.sandboxspi.spi.BackendRef;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.ReleaseOutcome;
import io.sandboxspi.spi.SandboxBackend;
import io.sandboxspi.spi.SandboxProvider;
import io.sandboxspi.tck.fault.CallLog;
import io.sandboxspi.tck.fault.FaultPlan;
import io.sandboxspi.tck.fault.FaultPoint;
import io.sandboxspi.tck.fault.FaultyProvider;
import java.util.Set;

/** Providers with something wrong, for a class path of their own. */
public final class MoreProviders {
  /** The directory of test resources that registers them. */
  static final String DIRECTORY = "more-providers";

  private MoreProviders() {}

  /** Passes everything on. */
  private abstract static class Wrapper implements SandboxProvider {
    private final String name;
    private final SandboxProvider inner;

    Wrapper(String name, SandboxProvider inner) {
      this.name = name;
      this.inner = inner;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public Set<Capability> capabilities() {
      return inner.capabilities();
    }

    @Override
    public SandboxBackend create(BackendRequest request, Deadline deadline)
        throws InterruptedException {
      return inner.create(request, deadline);
    }

    @Override
    public SandboxBackend attach(BackendRef ref, Deadline deadline) throws InterruptedException {
      return inner.attach(ref, deadline);
    }

    @Override
    public ReleaseOutcome delete(BackendRef ref, Deadline deadline) throws InterruptedException {
      return inner.delete(ref, deadline);
    }
  }

  /** Cannot even be made. */
  public static final class Broken extends Wrapper {
    /** For the service loader. */
    public Broken() {
      super("broken", new LocalProvider());
      throw new IllegalStateException("it fell off the shelf");
    }
  }

  /** Lacks something. */
  public static final class Absent extends Wrapper {
    /** For the service loader. */
    public Absent() {
      super("absent", new LocalProvider());
    }

    @Override
    public Availability availability() {
      return Availability.unavailable("it needs a moon base: build one");
    }
  }

  /** Says that every command exits with 0. */
  public static final class Liar extends Wrapper {
    /** For the service loader. */
    public Liar() {
      super("liar", lying());
    }

    private static SandboxProvider lying() {
      FaultPlan plan = new FaultPlan();
      plan.at(FaultPoint.EXIT).always().answer(new ExitStatus.Exited(0));
      return new FaultyProvider(new LocalProvider(), plan, new CallLog());
    }
  }
}
