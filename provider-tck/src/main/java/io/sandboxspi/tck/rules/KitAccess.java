package io.sandboxspi.tck.rules;

import io.sandboxspi.tck.kit.TckKit;

/** What every group of rules works with. */
public interface KitAccess {
  /**
   * A lock of tests that keep a machine busy with processes: where tests run in parallel, one at a
   * time.
   */
  String MANY = "many processes";

  /** The kit of the running test. */
  TckKit kit();
}
