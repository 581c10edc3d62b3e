package io.sandboxspi.cli;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;
import java.util.OptionalLong;

/**
 * Shows on a terminal how far a transfer is, once it is longer than 10 MiB (spec S-CLI-09). Counts
 * what is read through it.
 */
final class Progress extends FilterInputStream {
  static final long LEAST = 10L << 20;
  private static final long STEP_NANOS = Duration.ofMillis(200).toNanos();
  private static final double MIB = 1 << 20;
  private static final int BAR = 24;

  private final PrintStream terminal;
  private final OptionalLong total;
  private final long started = System.nanoTime();
  private long done;
  private long shownAt;
  private boolean shown;

  private Progress(InputStream in, OptionalLong total, PrintStream terminal) {
    super(in);
    this.total = total;
    this.terminal = terminal;
  }

  /** Shows the progress if standard error is a terminal and it is worth it. */
  static InputStream of(InputStream in, OptionalLong total) {
    boolean little = total.isPresent() && total.getAsLong() <= LEAST;
    return little || !StandardStreams.isTerminal(StandardStreams.ERR)
        ? in
        : new Progress(in, total, System.err);
  }

  /** As {@link #of} for a stream that is a terminal. */
  static InputStream on(PrintStream terminal, InputStream in, OptionalLong total) {
    return new Progress(in, total, terminal);
  }

  @Override
  public int read() throws IOException {
    int value = in.read();
    if (value >= 0) {
      count(1);
    }
    return value;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    int count = in.read(target, offset, length);
    if (count > 0) {
      count(count);
    }
    return count;
  }

  private void count(int more) {
    done += more;
    long now = System.nanoTime();
    if (done > LEAST && now - shownAt >= STEP_NANOS) {
      shownAt = now;
      show(now);
    }
  }

  private void show(long now) {
    shown = true;
    double seconds = Math.max(1e-9, (now - started) / 1e9);
    String rate = String.format(Locale.ROOT, "%.0f MiB/s", done / MIB / seconds);
    if (total.isEmpty()) {
      terminal.printf(Locale.ROOT, "\r%.0f MiB  %s  ", done / MIB, rate);
    } else {
      double share = Math.min(1, (double) done / total.getAsLong());
      int full = (int) (share * BAR);
      terminal.printf(
          Locale.ROOT,
          "\r[%s%s] %3.0f %%  %.0f of %.0f MiB  %s  ",
          "#".repeat(full),
          ".".repeat(BAR - full),
          share * 100,
          done / MIB,
          total.getAsLong() / MIB,
          rate);
    }
    terminal.flush();
  }

  @Override
  public void close() throws IOException {
    if (shown) {
      shown = false;
      show(System.nanoTime());
      shown = false;
      terminal.println();
    }
    super.close();
  }
}
