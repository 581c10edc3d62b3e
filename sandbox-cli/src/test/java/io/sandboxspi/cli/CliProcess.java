package io.sandboxspi.cli;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The command in a JVM of its own; its output is collected. */
final class CliProcess implements AutoCloseable {
  /** How it ended. */
  record Result(int code, String out, String err) {}

  private static final String CLASS_PATH = "java.class.path";
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final Process process;
  private final OutputCollector out;
  private final OutputCollector err;

  private CliProcess(Process process) {
    this.process = process;
    this.out = new OutputCollector(process.getInputStream());
    this.err = new OutputCollector(process.getErrorStream());
  }

  /** Program and arguments of the JVM, up to and including the main class. */
  static List<String> java() {
    List<String> argv = new ArrayList<>();
    argv.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    argv.add("-XX:TieredStopAtLevel=1");
    argv.add("-XX:+UseSerialGC");
    if (Runtime.version().feature() >= 22) {
      argv.add("--enable-native-access=ALL-UNNAMED");
    }
    argv.addAll(List.of("-cp", System.getProperty(CLASS_PATH)));
    argv.add(Main.class.getName());
    return argv;
  }

  /** Runs the command to its end with nothing to read. */
  static Result run(String... arguments) throws Exception {
    return run(new byte[0], arguments);
  }

  /** Runs the command to its end with the input in a pipe. */
  static Result run(byte[] input, String... arguments) throws Exception {
    try (CliProcess cli = start(Map.of(), arguments)) {
      CompletableFuture<Void> fed = CompletableFuture.runAsync(() -> cli.feed(input));
      Result result = cli.end();
      fed.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
      return result;
    }
  }

  /** Starts the command with an input that stays open. */
  static CliProcess start(Map<String, String> environment, String... arguments) throws IOException {
    List<String> argv = java();
    argv.addAll(List.of(arguments));
    return start(new ProcessBuilder(argv), environment);
  }

  /** Runs the command to its end beside {@link MoreProviders}. */
  static Result runWithMoreProviders(String... arguments) throws Exception {
    Path registered = Path.of(CliProcess.class.getResource("/" + MoreProviders.DIRECTORY).toURI());
    List<String> argv = java();
    argv.replaceAll(
        word ->
            word.equals(System.getProperty(CLASS_PATH))
                ? registered + File.pathSeparator + word
                : word);
    argv.addAll(List.of(arguments));
    try (CliProcess cli = start(new ProcessBuilder(argv), Map.of())) {
      cli.input().close();
      return cli.end();
    }
  }

  /** Starts a text of {@code sh} in which {@code "$@"} is the command. */
  static CliProcess startScript(String script) throws IOException {
    List<String> argv = new ArrayList<>(List.of("sh", "-c", script, "sh"));
    argv.addAll(java());
    return start(new ProcessBuilder(argv), Map.of());
  }

  /** Runs a text of {@code sh} in which {@code "$@"} is the command. */
  static Result script(String script) throws Exception {
    try (CliProcess cli = startScript(script)) {
      cli.process.getOutputStream().close();
      return cli.end();
    }
  }

  private static CliProcess start(ProcessBuilder builder, Map<String, String> environment)
      throws IOException {
    builder.environment().putAll(environment);
    return new CliProcess(builder.start());
  }

  /** What it has written to standard output once that holds the text. */
  String outputUntil(String text) throws InterruptedException {
    return out.until(text);
  }

  OutputStream input() {
    return process.getOutputStream();
  }

  long pid() {
    return process.pid();
  }

  /** Sends a signal by its name. */
  void signal(String name) throws Exception {
    new ProcessBuilder("kill", "-" + name, Long.toString(pid())).start().waitFor();
  }

  /** Waits for the end and the end of the output. */
  Result end() throws Exception {
    if (!process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
      throw new AssertionError("the command did not end");
    }
    return new Result(process.exitValue(), out.all(), err.all());
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }

  private void feed(byte[] input) {
    try (OutputStream to = process.getOutputStream()) {
      to.write(input);
    } catch (IOException ended) {
      // The command may end without reading all
      return;
    }
  }
}
