package io.sandboxspi.remote.e2b;

import io.sandboxspi.core.time.Lane;
import io.sandboxspi.remote.shell.FirstShell;
import io.sandboxspi.remote.transport.HttpTransport;
import java.time.Duration;
import java.util.Optional;

/**
 * The ways to one sandbox, which are there before it is known what is in it.
 *
 * @param session names the threads
 */
record Reach(String session, ControlPlane controlPlane, Envd envd, FirstShell shell, Lane lane) {

  /** Makes no call; the parameters are those of {@link E2bRef}. */
  static Reach of(
      String session,
      ControlPlane controlPlane,
      HttpTransport transport,
      Access access,
      Optional<String> user,
      Duration streamKeepAlive,
      Duration timeout,
      boolean resumes) {
    Lane lane = Lane.light("sandbox-" + session + "-e2b");
    Envd envd =
        new Envd(
            transport,
            access,
            user,
            streamKeepAlive,
            new Waking(controlPlane, access.sandbox(), timeout, resumes));
    E2bMachine machine = new E2bMachine(envd, controlPlane, access.sandbox(), lane::execute);
    return new Reach(session, controlPlane, envd, new FirstShell(machine, session), lane);
  }

  /** Lets go of everything, unless a backend has it. */
  void close() {
    shell.close();
    lane.retire();
  }
}
