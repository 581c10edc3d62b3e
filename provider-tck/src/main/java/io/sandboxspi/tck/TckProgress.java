package io.sandboxspi.tck;

/** Is told how a run goes on; called by one thread at a time unless the run is parallel. */
public interface TckProgress {
  /** Does nothing. */
  TckProgress SILENT = new TckProgress() {};

  /** A test begins; a test with parameters begins once for each. */
  default void started(String name) {}

  /** A test has ended. */
  default void finished(TckReport.Test test) {}
}
