package io.sandboxspi.tck.rules;

import io.sandboxspi.tck.kit.TckKit;

/** What every group of rules works with. */
public interface KitAccess {
  /** The kit of the running test. */
  TckKit kit();
}
