package io.sandboxspi.tck;

import io.sandboxspi.tck.rules.CancelRules;
import io.sandboxspi.tck.rules.ResumeRules;
import io.sandboxspi.tck.rules.SnapshotRules;
import io.sandboxspi.tck.rules.StartRules;

/**
 * One of the four parts of {@link SandboxProviderTck}: starts, cancellation, snapshots and
 * resumption.
 */
public abstract class StartsTck extends KitTests
    implements CancelRules, ResumeRules, SnapshotRules, StartRules {
  /** For subclasses. */
  protected StartsTck() {}
}
