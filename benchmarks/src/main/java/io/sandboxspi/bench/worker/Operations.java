package io.sandboxspi.bench.worker;

import com.sun.management.OperatingSystemMXBean;
import io.sandboxspi.bench.Facts;
import io.sandboxspi.bench.contender.Contender;
import io.sandboxspi.bench.contender.Programs;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;

/** What a worker can be told to do. */
final class Operations {
  private static final OperatingSystemMXBean SYSTEM =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  private final Contenders contenders;
  private byte[][] touched = new byte[0][];

  Operations(Contenders contenders) {
    this.contenders = contenders;
  }

  long[] run(String operation, String[] words) throws Exception {
    return switch (operation) {
      case "first-byte" -> firstByte(contenders.get(words[0]), number(words[1]));
      case "whole" -> whole(contenders.get(words[0]), number(words[1]));
      case "echo" -> echo(contenders.get(words[0]), number(words[1]), number(words[2]));
      case "throughput" ->
          throughput(contenders.get(words[0]), number(words[1]), Long.parseLong(words[2]));
      case "flood" -> keep(contenders.get(words[0]), true, number(words[1]), Long.MAX_VALUE);
      case "idle" ->
          keep(contenders.get(words[0]), false, number(words[1]), Long.parseLong(words[2]));
      case "end-all" -> endAll(contenders.get(words[0]));
      case "sessions" -> Sessions.run(contenders.get(words[0]), number(words[1]), number(words[2]));
      case "open" -> open(words[0]);
      case "close" -> close(words[0]);
      case "facts" -> Facts.read();
      case "ws-persist" -> WorkspaceOperations.persist(Path.of(words[0]), Path.of(words[1]));
      case "ws-hydrate" -> WorkspaceOperations.hydrate(Path.of(words[0]), Path.of(words[1]));
      case "ws-put" -> WorkspaceOperations.put(Path.of(words[0]), Path.of(words[1]));
      case "ws-get" -> WorkspaceOperations.get(Path.of(words[0]), Path.of(words[1]));
      case "ws-path" -> WorkspaceOperations.path(Path.of(words[0]));
      case "touch" -> touch(number(words[0]));
      default -> throw new IllegalArgumentException("no operation " + operation);
    };
  }

  private static int number(String word) {
    return Integer.parseInt(word);
  }

  private static long[] firstByte(Contender contender, int count) throws Exception {
    long[] samples = new long[count];
    for (int i = 0; i < count; i++) {
      samples[i] = contender.firstByte(Programs.HI);
    }
    return samples;
  }

  private static long[] whole(Contender contender, int count) throws Exception {
    long[] samples = new long[count];
    for (int i = 0; i < count; i++) {
      samples[i] = contender.whole(Programs.HI);
    }
    return samples;
  }

  private static long[] echo(Contender contender, int count, int pauseMicros) throws Exception {
    long[] samples = new long[count];
    try (Contender.Dialogue dialogue = contender.dialogue()) {
      for (int i = 0; i < count; i++) {
        if (pauseMicros > 0) {
          LockSupport.parkNanos(pauseMicros * 1_000L);
        }
        samples[i] = dialogue.roundTrip();
      }
    }
    return samples;
  }

  /** Bytes, nanoseconds, nanoseconds of processor time of this JVM. */
  private static long[] throughput(Contender contender, int buffer, long bytes) throws Exception {
    long worked = SYSTEM.getProcessCpuTime();
    long begin = System.nanoTime();
    long total = contender.drain(Programs.bytes(bytes), buffer);
    long elapsed = System.nanoTime() - begin;
    return new long[] {total, elapsed, SYSTEM.getProcessCpuTime() - worked};
  }

  /** How many were started, and nanoseconds; stops early when the limit in milliseconds passes. */
  private static long[] keep(Contender contender, boolean flood, int count, long limitMillis)
      throws Exception {
    long begin = System.nanoTime();
    int started = 0;
    while (started < count && (System.nanoTime() - begin) / 1_000_000 < limitMillis) {
      contender.keep(flood ? Programs.FLOOD : Programs.IDLE);
      started++;
    }
    return new long[] {started, System.nanoTime() - begin};
  }

  private static long[] endAll(Contender contender) throws Exception {
    long begin = System.nanoTime();
    contender.endAll();
    return new long[] {System.nanoTime() - begin};
  }

  private long[] open(String name) throws Exception {
    contenders.get(name);
    return new long[0];
  }

  private long[] close(String name) throws Exception {
    contenders.close(name);
    return new long[0];
  }

  /** Keeps this many MiB of heap in use, every page of them written. */
  private long[] touch(int mebibytes) {
    // Small enough that no collector treats them apart.
    touched = new byte[mebibytes * 16][];
    for (int i = 0; i < touched.length; i++) {
      touched[i] = new byte[65_536 - 64];
      Arrays.fill(touched[i], (byte) 1);
    }
    return new long[] {touched.length};
  }
}
