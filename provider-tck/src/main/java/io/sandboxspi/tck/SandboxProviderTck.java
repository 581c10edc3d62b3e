package io.sandboxspi.tck;

import io.sandboxspi.tck.rules.ArchiveRules;
import io.sandboxspi.tck.rules.CancelRules;
import io.sandboxspi.tck.rules.CapabilityRules;
import io.sandboxspi.tck.rules.CleanupRules;
import io.sandboxspi.tck.rules.CommandEndRules;
import io.sandboxspi.tck.rules.CommandRules;
import io.sandboxspi.tck.rules.EventRules;
import io.sandboxspi.tck.rules.FileChangeRules;
import io.sandboxspi.tck.rules.FileRules;
import io.sandboxspi.tck.rules.InputRules;
import io.sandboxspi.tck.rules.JoinRules;
import io.sandboxspi.tck.rules.LifeRules;
import io.sandboxspi.tck.rules.LostRules;
import io.sandboxspi.tck.rules.ManifestRules;
import io.sandboxspi.tck.rules.OutputRules;
import io.sandboxspi.tck.rules.PortRules;
import io.sandboxspi.tck.rules.PtyRules;
import io.sandboxspi.tck.rules.ReapRules;
import io.sandboxspi.tck.rules.RegistryRules;
import io.sandboxspi.tck.rules.ResumeRules;
import io.sandboxspi.tck.rules.SnapshotRules;
import io.sandboxspi.tck.rules.SpiRules;
import io.sandboxspi.tck.rules.StallRules;
import io.sandboxspi.tck.rules.StartRules;
import io.sandboxspi.tck.rules.TerminalRules;
import io.sandboxspi.tck.rules.TreeRules;
import io.sandboxspi.tck.rules.UserRules;

/**
 * The conformance kit. A provider's tests extend this class and return an environment:
 *
 * <pre>{@code
 * class MyProviderTckTest extends SandboxProviderTck {
 *   protected TckEnvironment environment() { return TckEnvironment.of(new MyProvider()); }
 * }
 * }</pre>
 *
 * <p>Every test carries the ids of the rules of {@code docs/spec.md} that it checks. A test is
 * skipped only for a capability that the provider does not declare. The tests must not run in
 * parallel: they count descriptors, threads and processes. Where that takes too long, extend its
 * four parts instead, and run them in JVMs of their own: {@link CommandsTck}, {@link TerminalsTck},
 * {@link StartsTck}, {@link CleanupTck}.
 */
public abstract class SandboxProviderTck extends KitTests
    implements CommandRules,
        InputRules,
        CommandEndRules,
        OutputRules,
        LostRules,
        PtyRules,
        TerminalRules,
        RegistryRules,
        StartRules,
        CleanupRules,
        TreeRules,
        StallRules,
        CancelRules,
        JoinRules,
        LifeRules,
        SnapshotRules,
        ResumeRules,
        PortRules,
        ReapRules,
        FileRules,
        FileChangeRules,
        ArchiveRules,
        ManifestRules,
        EventRules,
        SpiRules,
        CapabilityRules,
        UserRules {
  /** For subclasses. */
  protected SandboxProviderTck() {}
}
