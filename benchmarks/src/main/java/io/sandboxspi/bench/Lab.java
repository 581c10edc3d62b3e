package io.sandboxspi.bench;

import io.sandboxspi.bench.contender.Programs;
import io.sandboxspi.bench.worker.WorkerFailure;
import io.sandboxspi.bench.worker.WorkerJvm;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The measured programs: JVMs that stay for a whole pass, and the C programs. */
public final class Lab implements AutoCloseable {
  private static final String[] SMALL = {"-Xms64m", "-Xmx256m"};
  private static final String[] BIG = {"-Xms1536m", "-Xmx1536m"};
  private static final int TOUCHED_MIB = 1024;

  private final Path target;
  private final boolean quick;
  private final Map<String, WorkerJvm> workers = new LinkedHashMap<>();

  /** With the C programs and logs in this directory. */
  public Lab(Path target, boolean quick) {
    this.target = target;
    this.quick = quick;
  }

  /** One of two sizes: a measurement, or a try whether everything works. */
  public int size(int measured, int tried) {
    return quick ? tried : measured;
  }

  /** The JVM with a small heap of this name, started on first use. */
  public WorkerJvm small(String name) throws IOException {
    WorkerJvm known = workers.get(name);
    if (known == null) {
      known = start(SMALL);
      workers.put(name, known);
    }
    return known;
  }

  /** The JVM with 1 GiB of touched heap of this name, started on first use. */
  public WorkerJvm big(String name) throws IOException, WorkerFailure {
    WorkerJvm known = workers.get(name);
    if (known == null) {
      known = start(BIG);
      workers.put(name, known);
      known.call("touch " + TOUCHED_MIB);
    }
    return known;
  }

  /** A JVM of its own; the caller closes it. */
  public WorkerJvm start(String... options) throws IOException {
    return new WorkerJvm(target.resolve("workers.log").toFile(), options);
  }

  /** Runs a C program; the numbers it prints. */
  public long[] c(String program, long argument, List<String> argv)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(target.resolve("floor").resolve(program).toString());
    command.add(Long.toString(argument));
    command.addAll(argv);
    File errors = target.resolve("workers.log").toFile();
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.appendTo(errors));
    Programs.prepare(builder.environment());
    Process process = builder.start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException(program + " failed; see workers.log");
    }
    return out.lines().mapToLong(Long::parseLong).toArray();
  }

  /** Ends all JVMs. */
  @Override
  public void close() throws IOException, InterruptedException {
    for (WorkerJvm worker : workers.values()) {
      worker.close();
    }
  }
}
