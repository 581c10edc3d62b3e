package io.sandboxspi.bench.worker;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** The handle on a measured JVM. Not thread-safe. */
public final class WorkerJvm implements AutoCloseable {
  private static final int LIMIT_MINUTES = 30;
  private static final ScheduledExecutorService WATCHDOG =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "bench-watchdog");
            thread.setDaemon(true);
            return thread;
          });

  private final Process process;
  private final BufferedWriter commands;
  private final BufferedReader answers;

  /** Starts one with these options on the class path of this JVM; its errors go to the file. */
  public WorkerJvm(File errors, String... options) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(options));
    if (Runtime.version().feature() >= 22) {
      command.add("--enable-native-access=ALL-UNNAMED");
    }
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Worker.class.getName()));
    process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.appendTo(errors)).start();
    commands =
        new BufferedWriter(
            new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8));
    answers =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  /**
   * Runs one command.
   *
   * @throws WorkerFailure when it could not be done
   */
  public long[] call(String command) throws IOException, WorkerFailure {
    commands.write(command + "\n");
    commands.flush();
    // A command that hangs must not hang the runner.
    ScheduledFuture<?> limit =
        WATCHDOG.schedule(process::destroyForcibly, LIMIT_MINUTES, TimeUnit.MINUTES);
    String answer = answers.readLine();
    limit.cancel(false);
    if (answer == null) {
      throw new WorkerFailure(command + ": the worker ended");
    }
    if (!answer.startsWith("ok ")) {
      throw new WorkerFailure(command + ": " + answer);
    }
    return Arrays.stream(answer.substring(3).split(" "))
        .filter(word -> !word.isEmpty())
        .mapToLong(Long::parseLong)
        .toArray();
  }

  /** Ends it; it closes its contenders first. */
  @Override
  public void close() throws IOException, InterruptedException {
    commands.close();
    if (!process.waitFor(30, TimeUnit.SECONDS)) {
      process.destroyForcibly();
    }
  }
}
