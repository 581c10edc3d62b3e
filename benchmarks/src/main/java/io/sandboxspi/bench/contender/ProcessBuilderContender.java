package io.sandboxspi.bench.contender;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;

/** The JDK's own processes: pipes, no terminal. */
public final class ProcessBuilderContender implements Contender {
  private static Process start(List<String> argv) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(argv).redirectErrorStream(true);
    Programs.prepare(builder.environment());
    return builder.start();
  }

  @Override
  public long firstByte(List<String> argv) throws Exception {
    long begin = System.nanoTime();
    Process process = start(argv);
    try (InputStream in = process.getInputStream()) {
      if (in.read() < 0) {
        throw new IOException("no output");
      }
      long end = System.nanoTime();
      in.readAllBytes();
      process.waitFor();
      return end - begin;
    }
  }

  @Override
  public long whole(List<String> argv) throws Exception {
    long begin = System.nanoTime();
    Process process = start(argv);
    try (InputStream in = process.getInputStream()) {
      in.readAllBytes();
      process.waitFor();
      return System.nanoTime() - begin;
    }
  }

  @Override
  public void close() {
    // Nothing is kept.
  }
}
