package io.sandboxspi;

/**
 * Is told of every operation of a session (spec S-EVT-01).
 *
 * <p>Called on the thread that runs the operation or on one of the session's; calls for one session
 * may overlap. It should return quickly. What it throws is logged and changes nothing (spec
 * S-EVT-04). It may call the session, also {@link SandboxSession#close()}: such a call never waits
 * for itself (spec S-LIFE-05).
 */
@FunctionalInterface
public interface SandboxListener {
  /** Receives an event; events never hold secrets. */
  void onEvent(SandboxEvent event);
}
