package io.sandboxspi.tck.rules;

import io.sandboxspi.Capability;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.core.reap.Owner;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.ListedBackend;
import io.sandboxspi.spi.ReleaseOutcome;
import io.sandboxspi.tck.Rule;
import io.sandboxspi.tck.kit.Expect;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Backends are found again, with who owns them. */
public interface ReapRules extends KitAccess {
  /** From its making to its deletion a backend is listed as this process's. */
  @Test
  @Rule("S-REAP-01")
  default void S_REAP_01_aBackendIsListedWithItsOwnerUntilItIsDeleted() throws Exception {
    kit().need(Capability.LIST);
    SandboxSession session = kit().session();
    List<ListedBackend> mine = listed(session);
    Expect.same("S-REAP-01", 1, mine.size(), "listed backends of a session");
    ListedBackend backend = mine.get(0);
    Expect.same("S-REAP-01", session.provider(), backend.ref().provider(), "the provider");
    Expect.same("S-REAP-01", Owner.State.ALIVE, Owner.state(backend.owner()), "the owner");
    Duration age = Duration.between(backend.created(), Instant.now()).abs();
    Expect.that("S-REAP-01", age.compareTo(Duration.ofHours(1)) < 0, "made %s ago", age);
    session.shutdown();
    Expect.same("S-REAP-01", backend, listed(session).get(0), "listed after the shutdown");
    ReleaseOutcome outcome = kit().provider().delegate().delete(backend.ref(), soon());
    Expect.that("S-REAP-01", outcome != ReleaseOutcome.ALREADY_GONE, "it was gone before");
    Expect.same("S-REAP-01", List.of(), listed(session), "listed after the deletion");
  }

  private List<ListedBackend> listed(SandboxSession session) throws InterruptedException {
    return kit().provider().delegate().list(kit().providerOptions(), soon()).stream()
        .filter(backend -> backend.sessionId().equals(session.id()))
        .toList();
  }

  private Deadline soon() {
    return Deadline.after(kit().bound());
  }
}
