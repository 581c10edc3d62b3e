package io.sandboxspi.core.session;

/** Is told of {@link HookPoint}s on the thread that reaches them; may block it. For tests. */
@FunctionalInterface
public interface EngineHooks {
  /** Does nothing. */
  EngineHooks NONE = (point, launchId) -> {};

  /**
   * The engine is at this point.
   *
   * @param launchId the process it is about; empty for a batch
   */
  void reached(HookPoint point, String launchId);
}
