package io.sandboxspi.tck;

import io.sandboxspi.Checkpoint;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.SandboxSpec;
import io.sandboxspi.core.session.EngineOptions;
import io.sandboxspi.core.session.EngineSession;
import io.sandboxspi.core.session.ResourceLedger;
import io.sandboxspi.spi.SandboxProvider;
import java.util.List;
import java.util.function.Supplier;

/** Opens the sessions under test; replaced only where an engine itself is put to the test. */
@FunctionalInterface
public interface SessionFactory {
  /**
   * A session and what it owns.
   *
   * @param session the session
   * @param ledger what it owns at the moment of the call
   */
  record Opened(SandboxSession session, Supplier<List<ResourceLedger.Resource>> ledger) {}

  /** Opens a session. */
  Opened open(SandboxProvider provider, SandboxSpec spec, EngineOptions options)
      throws InterruptedException;

  /** Opens a session from a checkpoint; see {@link EngineSession#resume}. */
  default Opened resume(
      SandboxProvider provider,
      Checkpoint checkpoint,
      SandboxSpec spec,
      boolean back,
      EngineOptions options)
      throws InterruptedException {
    EngineSession session = EngineSession.resume(provider, checkpoint, spec, back, options);
    return new Opened(session, () -> session.ledger().open());
  }

  /** The engine of this project. */
  static SessionFactory engine() {
    return (provider, spec, options) -> {
      EngineSession session = EngineSession.open(provider, spec, options);
      return new Opened(session, () -> session.ledger().open());
    };
  }
}
