package io.sandboxspi.tck.kit;

/** How a caller is cancelled (spec S-CANCEL-02). */
public enum Flavour {
  /** Its {@code CallScope} is cancelled with a reason. */
  SCOPE,
  /** Its thread is interrupted. */
  INTERRUPT,
  /** The deadline of its {@code CallScope} passes. */
  DEADLINE
}
