package io.sandboxspi.tck;

import io.sandboxspi.tck.rules.PtyRules;
import io.sandboxspi.tck.rules.RegistryRules;
import io.sandboxspi.tck.rules.TerminalRules;

/** One of the four parts of {@link SandboxProviderTck}: PTYs, terminals and the registry. */
public abstract class TerminalsTck extends KitTests
    implements PtyRules, RegistryRules, TerminalRules {
  /** For subclasses. */
  protected TerminalsTck() {}
}
