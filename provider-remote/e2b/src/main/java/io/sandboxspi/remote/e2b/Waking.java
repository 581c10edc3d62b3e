package io.sandboxspi.remote.e2b;

import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.spi.Deadline;
import java.time.Duration;
import java.util.Optional;

/** The daemon refused: its sandbox is paused, gone, or its token has changed. */
final class Waking implements Envd.Renewal {
  private final ControlPlane controlPlane;
  private final String sandbox;
  private final Duration life;
  private final boolean resumes;

  /**
   * For one sandbox.
   *
   * @param life how long it lives after it was asked for
   * @param resumes whether its use wakes it
   */
  Waking(ControlPlane controlPlane, String sandbox, Duration life, boolean resumes) {
    this.controlPlane = controlPlane;
    this.sandbox = sandbox;
    this.life = life;
    this.resumes = resumes;
  }

  @Override
  public Access renew(RemoteException refusal, Deadline deadline) throws InterruptedException {
    boolean again =
        switch (controlPlane.state(sandbox, deadline)) {
          // Behind a gateway's refusal the call may have had its effect.
          case RUNNING -> refusal.refusedWith(401);
          case PAUSED, STOPPED -> resumes;
          case GONE ->
              throw RemoteException.refused(
                  404, "", "", Optional.empty(), "the sandbox does not exist any more");
        };
    if (!again) {
      throw refusal;
    }
    return controlPlane.connect(sandbox, life, deadline);
  }
}
