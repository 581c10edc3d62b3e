package io.sandboxspi.fake.support;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A vendor's own client, for Node: a directory with {@code package.json}, {@code package-lock.json}
 * and {@code scenario.mjs}. Needs {@code node} and {@code npm} on the path.
 */
public final class NodeClient {
  private static final int INSTALL_SECONDS = 180;
  private static final int SCENARIO_SECONDS = 90;

  private final Path work;

  private NodeClient(Path work) {
    this.work = work;
  }

  /** Whether all that is needed is there; otherwise says what is not. */
  public static Optional<String> missing() throws IOException, InterruptedException {
    for (String program : List.of("node", "npm")) {
      try {
        String unused = run(Path.of("."), 30, Map.of(), program, "--version");
      } catch (IOException none) {
        return Optional.of("the vendor's client needs " + program + " on the PATH");
      }
    }
    return Optional.empty();
  }

  /**
   * Installs the pinned client.
   *
   * @param source the files; they are not changed
   * @param work where they and the client are put
   */
  public static NodeClient install(Path source, Path work)
      throws IOException, InterruptedException {
    Files.createDirectories(work);
    try (Stream<Path> files = Files.list(source)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Files.write(work.resolve(file.getFileName()), Files.readAllBytes(file));
      }
    }
    String unused =
        run(
            work,
            INSTALL_SECONDS,
            Map.of(),
            "npm",
            "ci",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--prefer-offline");
    return new NodeClient(work);
  }

  /**
   * Runs the scenario.
   *
   * @param settings of the fake, as variables
   * @return what it said
   * @throws IllegalStateException with what it said, when it failed or took too long
   */
  public String scenario(Map<String, String> settings) throws IOException, InterruptedException {
    return run(work, SCENARIO_SECONDS, settings, "node", "scenario.mjs");
  }

  private static String run(
      Path work, int seconds, Map<String, String> environment, String... command)
      throws IOException, InterruptedException {
    Path output = Files.createTempFile("vendor-client", ".txt");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(work.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    builder.environment().putAll(environment);
    try {
      Process process = builder.start();
      try {
        boolean ended = process.waitFor(seconds, TimeUnit.SECONDS);
        String said = Files.readString(output);
        if (!ended || process.exitValue() != 0) {
          String how = ended ? "ended with " + process.exitValue() : "did not end in time";
          throw new IllegalStateException(String.join(" ", command) + " " + how + ": " + said);
        }
        return said;
      } finally {
        process.destroyForcibly();
      }
    } finally {
      Files.deleteIfExists(output);
    }
  }
}
