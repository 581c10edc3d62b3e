package io.sandboxspi.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Processes of this machine that tests watch. */
final class Processes {
  private static final int SECONDS = 10;

  private Processes() {}

  /** Waits for the end; one that nobody has collected yet counts as ended. */
  static void assertEnds(long pid) {
    Optional<ProcessHandle> process =
        ProcessHandle.of(pid).filter(it -> it.info().commandLine().isPresent());
    process.ifPresent(it -> assertThat(it.onExit()).succeedsWithin(SECONDS, TimeUnit.SECONDS));
  }
}
