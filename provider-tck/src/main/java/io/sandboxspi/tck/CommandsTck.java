package io.sandboxspi.tck;

import io.sandboxspi.tck.rules.ArchiveRules;
import io.sandboxspi.tck.rules.CapabilityRules;
import io.sandboxspi.tck.rules.CommandRules;
import io.sandboxspi.tck.rules.EventRules;
import io.sandboxspi.tck.rules.FileChangeRules;
import io.sandboxspi.tck.rules.FileRules;
import io.sandboxspi.tck.rules.LifeRules;
import io.sandboxspi.tck.rules.LostRules;
import io.sandboxspi.tck.rules.ManifestRules;
import io.sandboxspi.tck.rules.PortRules;
import io.sandboxspi.tck.rules.ReapRules;
import io.sandboxspi.tck.rules.SpiRules;
import io.sandboxspi.tck.rules.TreeRules;
import io.sandboxspi.tck.rules.UserRules;

/**
 * One of the four parts of {@link SandboxProviderTck}: commands, files, events, capabilities, and
 * what a backend promises.
 */
public abstract class CommandsTck extends KitTests
    implements ArchiveRules,
        CapabilityRules,
        CommandRules,
        EventRules,
        FileChangeRules,
        FileRules,
        LifeRules,
        LostRules,
        ManifestRules,
        PortRules,
        ReapRules,
        SpiRules,
        TreeRules,
        UserRules {
  /** For subclasses. */
  protected CommandsTck() {}
}
