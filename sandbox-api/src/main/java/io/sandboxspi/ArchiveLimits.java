package io.sandboxspi;

/**
 * Bounds of what is unpacked (spec S-ARCH-03). All are checked before anything is replaced.
 *
 * @param bytesIn bytes of the archive as it comes, above zero
 * @param bytesOut bytes of all files in it, above zero
 * @param members entries of any kind, above zero
 * @param ratio bytes out for each byte in, above zero; counts from the second MiB out on
 */
public record ArchiveLimits(long bytesIn, long bytesOut, long members, long ratio) {
  private static final long GIB = 1L << 30;
  private static final ArchiveLimits DEFAULTS = new ArchiveLimits(GIB, 4 * GIB, 100_000, 500);
  private static final ArchiveLimits NONE =
      new ArchiveLimits(Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE);

  /** Checks the bounds. */
  public ArchiveLimits {
    Checks.range("bytesIn", bytesIn, 1, Long.MAX_VALUE);
    Checks.range("bytesOut", bytesOut, 1, Long.MAX_VALUE);
    Checks.range("members", members, 1, Long.MAX_VALUE);
    Checks.range("ratio", ratio, 1, Long.MAX_VALUE);
  }

  /** 1 GiB in, 4 GiB out, 100 000 members, 500 bytes out for each byte in. */
  public static ArchiveLimits defaults() {
    return DEFAULTS;
  }

  /** No bounds, for archives of one's own making. */
  public static ArchiveLimits none() {
    return NONE;
  }

  /** Other bytes in. */
  public ArchiveLimits bytesIn(long value) {
    return new ArchiveLimits(value, bytesOut, members, ratio);
  }

  /** Other bytes out. */
  public ArchiveLimits bytesOut(long value) {
    return new ArchiveLimits(bytesIn, value, members, ratio);
  }

  /** Other members. */
  public ArchiveLimits members(long value) {
    return new ArchiveLimits(bytesIn, bytesOut, value, ratio);
  }

  /** Another ratio. */
  public ArchiveLimits ratio(long value) {
    return new ArchiveLimits(bytesIn, bytesOut, members, value);
  }
}
