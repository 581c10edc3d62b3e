package io.sandboxspi.bench.remote;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A process that answers a line with a line. */
final class Peer implements AutoCloseable {
  private final Process process;
  private final OutputStream in;
  private final BufferedReader out;

  Peer(Path directory, Map<String, String> environment, List<String> argv) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(argv)
            .directory(directory.toFile())
            .redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().putAll(environment);
    process = builder.start();
    in = process.getOutputStream();
    out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  /** Another main of these classes, in a JVM of its own. */
  static Peer java(Class<?> main, String... arguments) throws IOException {
    List<String> argv =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx1g",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
    argv.addAll(List.of(arguments));
    return new Peer(Path.of("."), Map.of(), argv);
  }

  String line() throws IOException {
    String line = out.readLine();
    if (line == null) {
      throw new IOException("the peer has ended");
    }
    return line;
  }

  /** Lets it measure once. */
  long measure(String what) throws IOException {
    in.write((what + "\n").getBytes(StandardCharsets.UTF_8));
    in.flush();
    return Long.parseLong(line());
  }

  @Override
  public void close() throws IOException {
    in.close();
    try {
      int unused = process.waitFor();
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
