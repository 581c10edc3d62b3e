package io.sandboxspi.bench.contender;

import com.pty4j.PtyProcess;
import com.pty4j.PtyProcessBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The peer used directly, as its own documentation shows: blocking streams, a thread a reader. */
public final class Pty4jContender implements Contender {
  private final List<PtyProcess> kept = new ArrayList<>();

  private static PtyProcess start(List<String> argv) throws IOException {
    return new PtyProcessBuilder(argv.toArray(new String[0]))
        .setEnvironment(Programs.environment())
        .setDirectory("/")
        .setInitialColumns(80)
        .setInitialRows(24)
        .start();
  }

  @Override
  public long firstByte(List<String> argv) throws Exception {
    long begin = System.nanoTime();
    PtyProcess process = start(argv);
    InputStream in = process.getInputStream();
    readFirst(in);
    long end = System.nanoTime();
    drain(in, 8192);
    process.waitFor();
    return end - begin;
  }

  private static void readFirst(InputStream in) throws IOException {
    if (in.read(new byte[1]) != 1) {
      throw new IOException("no output");
    }
  }

  private static long drain(InputStream in, int size) throws IOException {
    byte[] buffer = new byte[size];
    long total = 0;
    for (int count = in.read(buffer); count > 0; count = in.read(buffer)) {
      total += count;
    }
    return total;
  }

  @Override
  public Dialogue dialogue() throws Exception {
    PtyProcess process = start(Programs.ECHO);
    InputStream in = process.getInputStream();
    OutputStream out = process.getOutputStream();
    readFirst(in);
    return new Dialogue() {
      private final byte[] one = new byte[1];
      private final byte[] buffer = new byte[4096];

      @Override
      public long roundTrip() throws Exception {
        long begin = System.nanoTime();
        out.write(one);
        out.flush();
        if (in.read(buffer) != 1) {
          throw new IOException("wrong answer");
        }
        return System.nanoTime() - begin;
      }

      @Override
      public void close() throws Exception {
        process.destroyForcibly();
        process.waitFor();
      }
    };
  }

  @Override
  public long drain(List<String> argv, int buffer) throws Exception {
    PtyProcess process = start(argv);
    long total = drain(process.getInputStream(), buffer);
    process.waitFor();
    return total;
  }

  @Override
  public void keep(List<String> argv) throws Exception {
    PtyProcess process = start(argv);
    kept.add(process);
    InputStream in = process.getInputStream();
    readFirst(in);
    Thread reader =
        new Thread(
            () -> {
              try {
                drain(in, 8192);
              } catch (IOException ended) {
                System.err.println("reader: " + ended.getMessage());
              }
            },
            "pty4j-reader");
    reader.setDaemon(true);
    reader.start();
  }

  @Override
  public void endAll() throws Exception {
    kept.forEach(PtyProcess::destroyForcibly);
    for (PtyProcess process : kept) {
      process.waitFor();
    }
    kept.clear();
  }

  @Override
  public String session(List<String> argv) throws Exception {
    PtyProcess process = start(argv);
    byte[] all = process.getInputStream().readAllBytes();
    process.waitFor();
    return new String(all, StandardCharsets.UTF_8);
  }

  @Override
  public void close() throws Exception {
    endAll();
  }
}
