package io.sandboxspi.tck;

import io.sandboxspi.tck.rules.CommandEndRules;
import io.sandboxspi.tck.rules.InputRules;
import io.sandboxspi.tck.rules.OutputRules;
import io.sandboxspi.tck.rules.PtyRules;
import io.sandboxspi.tck.rules.RegistryRules;
import io.sandboxspi.tck.rules.TerminalRules;

/**
 * One of the four parts of {@link SandboxProviderTck}: PTYs, terminals and the registry, and the
 * streams of all processes.
 */
public abstract class TerminalsTck extends KitTests
    implements CommandEndRules, InputRules, OutputRules, PtyRules, RegistryRules, TerminalRules {
  /** For subclasses. */
  protected TerminalsTck() {}
}
