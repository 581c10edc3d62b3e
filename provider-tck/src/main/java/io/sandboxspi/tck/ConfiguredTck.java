package io.sandboxspi.tck;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The kit as {@link TckRunner} starts it: its environment is found by a launch parameter. */
final class ConfiguredTck extends SandboxProviderTck {
  static final String PARAMETER = "io.sandboxspi.tck.run";

  private static final Map<String, TckEnvironment> RUNS = new ConcurrentHashMap<>();

  private @Nullable TckEnvironment environment;

  static void register(String run, TckEnvironment environment) {
    RUNS.put(run, environment);
  }

  static void forget(String run) {
    RUNS.remove(run);
  }

  void configure(Optional<String> run) {
    environment = run.map(RUNS::get).orElse(null);
  }

  @Override
  protected TckEnvironment environment() {
    if (environment == null) {
      throw new IllegalStateException("start this class with TckRunner");
    }
    return environment;
  }
}
