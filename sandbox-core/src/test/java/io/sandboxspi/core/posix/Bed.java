package io.sandboxspi.core.posix;

import io.sandboxspi.core.pty.Within;
import io.sandboxspi.spi.LaunchId;
import io.sandboxspi.spi.LaunchRequest;
import io.sandboxspi.spi.TerminationOutcome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A state directory in one world, and real processes. Ends what it started. */
final class Bed implements AutoCloseable {
  final World world;
  final Path root;
  final PosixState state;
  private final List<LaunchId> ids = new ArrayList<>();
  private final List<String> words = new ArrayList<>();
  private final List<Process> processes = new ArrayList<>();

  Bed(World world) throws Exception {
    this.world = world;
    this.root = Files.createTempDirectory("sandbox-posix");
    this.state = new PosixState(root.resolve("state").toString(), world.shell());
  }

  /** What a process left. */
  record Result(int code, byte[] output, String error) {
    String text() {
      return new String(output, StandardCharsets.UTF_8);
    }
  }

  PosixLauncher launcher(LaunchOption... options) {
    EnumSet<LaunchOption> set = EnumSet.noneOf(LaunchOption.class);
    set.addAll(Arrays.asList(options));
    return PosixLauncher.of(state, set);
  }

  LaunchRequest request(Map<String, String> environment, String... argv) {
    LaunchId id = LaunchId.random();
    ids.add(id);
    return new LaunchRequest(
        id, List.of(argv), environment, Optional.empty(), Optional.empty(), false);
  }

  LaunchRequest request(String... argv) {
    return request(Map.of(), argv);
  }

  /** A command for the world's shell. */
  LaunchRequest script(String text) {
    return request(state.shell(), "-c", text);
  }

  Process start(List<String> argv, Map<String, String> environment) throws Exception {
    ProcessBuilder builder = new ProcessBuilder(argv);
    builder.environment().clear();
    builder.environment().put("PATH", world.path());
    builder.environment().putAll(environment);
    builder.redirectError(Files.createTempFile(root, "error", "").toFile());
    Process process = builder.start();
    processes.add(process);
    return process;
  }

  /** With its errors as a stream. */
  Process piped(List<String> argv) throws Exception {
    ProcessBuilder builder = new ProcessBuilder(argv);
    builder.environment().clear();
    builder.environment().put("PATH", world.path());
    Process process = builder.start();
    processes.add(process);
    return process;
  }

  Process start(List<String> argv) throws Exception {
    return start(argv, Map.of());
  }

  /** Starts a launch in the background and waits until it is recorded. */
  Process launch(LaunchRequest request) throws Exception {
    Process process = start(launcher().argv(request, "/"));
    Within.until(() -> status(request.id()) instanceof LaunchReport.Started);
    return process;
  }

  Result run(List<String> argv, Map<String, String> environment) throws Exception {
    Path error = Files.createTempFile(root, "error", "");
    ProcessBuilder builder = new ProcessBuilder(argv).redirectError(error.toFile());
    builder.environment().clear();
    builder.environment().put("PATH", world.path());
    builder.environment().putAll(environment);
    Process process = builder.start();
    processes.add(process);
    process.getOutputStream().close();
    byte[] output = output(process);
    if (!process.waitFor(20, TimeUnit.SECONDS)) {
      throw new AssertionError("does not end: " + argv.get(0));
    }
    return new Result(process.exitValue(), output, Files.readString(error));
  }

  /** All of its output, once it has closed it. */
  static byte[] output(Process process) throws Exception {
    return Within.get(Within.start(() -> process.getInputStream().readAllBytes()).result());
  }

  Result run(List<String> argv) throws Exception {
    return run(argv, Map.of());
  }

  Map<LaunchId, TerminationOutcome> kill(LaunchId... targets) throws Exception {
    return kill(Duration.ofSeconds(20), List.of(targets));
  }

  Map<LaunchId, TerminationOutcome> kill(Duration limit, List<LaunchId> targets) throws Exception {
    String command = PosixKill.command(state, targets, limit);
    return PosixKill.parse(targets, run(state.argv(command)).text());
  }

  LaunchReport status(LaunchId id) {
    try {
      List<LaunchId> one = List.of(id);
      String answer = run(state.argv(PosixStatus.command(state, one))).text();
      return PosixStatus.parse(one, answer).get(id);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  Path file(LaunchId id, String kind) {
    return Path.of(state.directory(), id + "." + kind);
  }

  /** Names of the files kept for a launch. */
  List<String> kept(LaunchId id) throws IOException {
    try (Stream<Path> files = Files.list(Path.of(state.directory()))) {
      return files
          .map(path -> path.getFileName().toString())
          .filter(name -> name.startsWith(id.value()))
          .sorted()
          .toList();
    }
  }

  /** Living processes whose command line holds a word. */
  static List<Long> alive(String word) {
    return living(pid -> contains(pid, "cmdline", word));
  }

  /** Living processes that carry the cookie. */
  static List<Long> alive(LaunchId id) {
    return living(pid -> contains(pid, "environ", PosixLauncher.COOKIE + "=" + id));
  }

  /** A duration for sleep that no other process uses; see {@link #alive(String)}. */
  String unique() {
    String word = "9" + (100_000_000L + ThreadLocalRandom.current().nextLong(800_000_000L));
    words.add(word);
    return word;
  }

  private static List<Long> living(java.util.function.LongPredicate wanted) {
    try (Stream<ProcessHandle> all = ProcessHandle.allProcesses()) {
      return all.map(ProcessHandle::pid)
          .filter(pid -> wanted.test(pid) && !state(pid).equals("Z"))
          .toList();
    }
  }

  static String state(long pid) {
    String stat = read(pid, "stat");
    int end = stat.lastIndexOf(')');
    return end < 0 ? "Z" : stat.substring(end + 2, end + 3);
  }

  private static boolean contains(long pid, String file, String word) {
    return Arrays.asList(read(pid, file).split("\0")).contains(word);
  }

  static String read(long pid, String file) {
    try {
      return Files.readString(
          Path.of("/proc", String.valueOf(pid), file), StandardCharsets.ISO_8859_1);
    } catch (IOException gone) {
      return "";
    }
  }

  private static void destroy(List<Long> pids) {
    pids.forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
  }

  @Override
  public void close() throws IOException {
    ids.forEach(id -> destroy(alive(id)));
    words.forEach(word -> destroy(alive(word)));
    processes.forEach(Process::destroyForcibly);
    try (Stream<Path> files = Files.walk(root)) {
      files
          .sorted(Comparator.reverseOrder())
          .forEach(
              path -> {
                try {
                  Files.deleteIfExists(path);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
    }
  }
}
