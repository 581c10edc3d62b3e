package io.sandboxspi;

/**
 * Is told of every operation of a session (spec S-EVT-01).
 *
 * <p>Called on threads of the session, for one session one event at a time in the order of their
 * numbers, soon after they happened and maybe after the operation has returned. However slow it is,
 * it holds nothing up; when 4096 events wait for it, those that follow are dropped (spec S-EVT-05).
 * What it throws is logged and changes nothing (spec S-EVT-04). It may call the session, also
 * {@link SandboxSession#close()}: such a call never waits for itself (spec S-LIFE-05).
 */
@FunctionalInterface
public interface SandboxListener {
  /** Receives an event; events never hold secrets. */
  void onEvent(SandboxEvent event);
}
