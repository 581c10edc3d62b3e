package io.sandboxspi.bench;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** What this JVM holds, as the kernel sees it. */
public final class Facts {
  private static final int SETTLE_ROUNDS = 3;

  private Facts() {}

  /** Resident bytes, bytes of heap in use after a collection, descriptors, threads. */
  public static long[] read() throws IOException {
    for (int i = 0; i < SETTLE_ROUNDS; i++) {
      System.gc();
    }
    return new long[] {
      status("VmRSS:") * 1024,
      ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed(),
      entries("fd"),
      status("Threads:")
    };
  }

  private static long status(String field) throws IOException {
    try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
      return lines
          .filter(line -> line.startsWith(field))
          .map(line -> line.substring(field.length()).replace("kB", "").strip())
          .mapToLong(Long::parseLong)
          .findFirst()
          .orElseThrow();
    }
  }

  private static long entries(String directory) throws IOException {
    try (Stream<Path> entries = Files.list(Path.of("/proc/self", directory))) {
      return entries.count();
    }
  }
}
