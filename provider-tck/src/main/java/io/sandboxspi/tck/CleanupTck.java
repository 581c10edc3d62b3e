package io.sandboxspi.tck;

import io.sandboxspi.tck.rules.CleanupRules;
import io.sandboxspi.tck.rules.JoinRules;
import io.sandboxspi.tck.rules.StallRules;

/** One of the four parts of {@link SandboxProviderTck}: cleanup, also when it fails or stalls. */
public abstract class CleanupTck extends KitTests implements CleanupRules, JoinRules, StallRules {
  /** For subclasses. */
  protected CleanupTck() {}
}
