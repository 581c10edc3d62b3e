package io.sandboxspi.local.sweep;

import java.util.List;

/**
 * What is known of a tree after a sweep.
 *
 * @param kind the result
 * @param survivors ids of processes that live; empty unless {@link Kind#UNCONFIRMED}
 */
public record Outcome(Kind kind, List<Integer> survivors) {
  /** The result. */
  public enum Kind {
    /** Something of it lived and none of it does. */
    CONFIRMED,
    /** Nothing of it lived. */
    ALREADY_GONE,
    /** Something of it lives, or may. */
    UNCONFIRMED
  }

  /** Copies the survivors. */
  public Outcome {
    survivors = List.copyOf(survivors);
  }
}
