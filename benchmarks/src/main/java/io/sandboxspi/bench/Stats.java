package io.sandboxspi.bench;

import java.util.Arrays;

/** Order statistics. */
public final class Stats {
  private Stats() {}

  /**
   * The smallest value that at least this share of the values does not exceed.
   *
   * @param share above 0 and at most 1
   */
  public static long percentile(long[] values, double share) {
    if (values.length == 0) {
      throw new IllegalArgumentException("no values");
    }
    long[] sorted = values.clone();
    Arrays.sort(sorted);
    int rank = (int) Math.ceil(share * sorted.length);
    return sorted[Math.max(0, rank - 1)];
  }

  /** The median. */
  public static long median(long[] values) {
    return percentile(values, 0.5);
  }
}
