package io.sandboxspi.cli;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongConsumer;

/**
 * Shows on a terminal how far a transfer is, once it is longer than 10 MiB (spec S-CLI-09).
 * Thread-safe.
 */
final class Progress implements LongConsumer, AutoCloseable {
  static final long LEAST = 10L << 20;
  private static final long STEP_NANOS = Duration.ofMillis(200).toNanos();
  private static final double MIB = 1 << 20;
  private static final int BAR = 24;

  private final Optional<PrintStream> terminal;
  private final OptionalLong total;
  private final long started = System.nanoTime();
  private long done;
  private long shownAt;
  private boolean shown;

  private Progress(Optional<PrintStream> terminal, OptionalLong total) {
    this.total = total;
    this.terminal = terminal;
  }

  /** Shows the progress if standard error is a terminal. */
  static Progress of(OptionalLong total) {
    return StandardStreams.isTerminal(StandardStreams.ERR)
        ? on(System.err, total)
        : new Progress(Optional.empty(), total);
  }

  /** As {@link #of} for a stream that is a terminal. */
  static Progress on(PrintStream terminal, OptionalLong total) {
    return new Progress(Optional.of(terminal), total);
  }

  /** A stream that is counted as it is read. */
  InputStream counting(InputStream in) {
    return new FilterInputStream(in) {
      @Override
      public int read() throws IOException {
        int value = in.read();
        if (value >= 0) {
          accept(1);
        }
        return value;
      }

      @Override
      public int read(byte[] target, int offset, int length) throws IOException {
        int count = in.read(target, offset, length);
        if (count > 0) {
          accept(count);
        }
        return count;
      }
    };
  }

  /** So many bytes more. */
  @Override
  public synchronized void accept(long more) {
    done += more;
    long now = System.nanoTime();
    if (done > LEAST && now - shownAt >= STEP_NANOS) {
      shownAt = now;
      terminal.ifPresent(stream -> show(stream, now));
    }
  }

  private void show(PrintStream stream, long now) {
    shown = true;
    double seconds = Math.max(1e-9, (now - started) / 1e9);
    String rate = String.format(Locale.ROOT, "%.0f MiB/s", done / MIB / seconds);
    if (total.isEmpty()) {
      stream.printf(Locale.ROOT, "\r%.0f MiB  %s  ", done / MIB, rate);
    } else {
      double share = Math.min(1, (double) done / total.getAsLong());
      int full = (int) (share * BAR);
      stream.printf(
          Locale.ROOT,
          "\r[%s%s] %3.0f %%  %.0f of %.0f MiB  %s  ",
          "#".repeat(full),
          ".".repeat(BAR - full),
          share * 100,
          done / MIB,
          total.getAsLong() / MIB,
          rate);
    }
    stream.flush();
  }

  /** Leaves the line as it is at the end. */
  @Override
  public synchronized void close() {
    if (shown) {
      terminal.ifPresent(
          stream -> {
            show(stream, System.nanoTime());
            stream.println();
          });
      shown = false;
    }
  }
}
