package io.sandboxspi.core.session;

import io.sandboxspi.Capability;
import io.sandboxspi.Endpoint;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.core.time.Caller;
import io.sandboxspi.core.time.LaneTask;
import io.sandboxspi.spi.Deadline;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Where ports of a sandbox are reached: declared ones only (spec S-PORT-01). */
final class Endpoints {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private Endpoints() {}

  static Endpoint find(SessionCore core, int port) throws InterruptedException {
    return core.events()
        .call(Operation.ENDPOINT, Integer.toString(port), caller -> find(core, port, caller));
  }

  private static Endpoint find(SessionCore core, int port, Caller caller)
      throws InterruptedException {
    core.gate().check(Operation.ENDPOINT);
    core.require(Capability.PORTS, Operation.ENDPOINT);
    Set<Integer> declared = new TreeSet<>(core.backend().ports());
    if (!declared.contains(port)) {
      throw SandboxException.builder(
              ErrorCode.PORT_NOT_CONFIGURED,
              Operation.ENDPOINT,
              "port "
                  + port
                  + " was not declared; declared: "
                  + (declared.isEmpty() ? "none" : declared))
          .context("port", port)
          .context("declared", declared)
          .build();
    }
    Deadline deadline = core.clock().deadline(LIMIT);
    LaneTask<Endpoint> task = core.work().call(() -> core.backend().endpoint(port, deadline));
    Caller.Wait wait = caller.await(task, deadline);
    if (wait != Caller.Wait.DONE) {
      task.interrupt();
      caller.throwIfCancelled(List.of());
      throw unavailable(port, "the backend did not answer in " + LIMIT).build();
    }
    Throwable failure = task.handle((endpoint, thrown) -> thrown).join();
    if (failure instanceof SandboxException e) {
      throw e;
    }
    if (failure != null) {
      throw unavailable(port, "the backend failed").cause(failure).build();
    }
    return task.join();
  }

  private static SandboxException.Builder unavailable(int port, String why) {
    return SandboxException.builder(
            ErrorCode.PORT_UNAVAILABLE,
            Operation.ENDPOINT,
            "where port " + port + " is reached is not known: " + why)
        .retryable(Retryable.UNKNOWN)
        .context("port", port);
  }
}
