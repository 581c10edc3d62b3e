package io.sandboxspi.core.session;

import io.sandboxspi.core.pty.CleanupResult;
import io.sandboxspi.core.time.Caller;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Registry clear: every process that the session owns is ended, those retained before too. */
final class TerminateAll {
  private TerminateAll() {}

  static void run(SessionCore core, Caller caller) throws InterruptedException {
    List<CompletableFuture<CleanupResult>> attempts = begin(core);
    core.reached(HookPoint.SETTLE_BEFORE, "");
    core.helper().cleanUp(attempts, caller);
  }

  /** Begins or joins the attempts, in the order in which the processes were started. */
  static List<CompletableFuture<CleanupResult>> begin(SessionCore core) {
    List<PtyEntry> detached = core.registry().detachAll();
    core.reached(HookPoint.REG_AFTER_DETACH, "");
    List<CompletableFuture<CleanupResult>> attempts = core.end(core.helper().owned());
    // Those whose process is over already had their ids kept by the look-up alone.
    detached.forEach(core::freeIfOver);
    return attempts;
  }
}
