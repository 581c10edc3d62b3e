package io.sandboxspi.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs the examples of the documents and compares what they show. */
class DocumentsTest {
  private static final String MARK = "--- next command ---";

  @TempDir private Path directory;

  static Stream<ConsoleExample> examples() throws IOException {
    return all().filter(example -> !example.needsDocker());
  }

  static Stream<ConsoleExample> all() throws IOException {
    Path root = root();
    List<ConsoleExample> all = new ArrayList<>(ConsoleExample.of(root.resolve("docs/cli.md")));
    all.addAll(ConsoleExample.of(root.resolve("README.md")));
    return all.stream();
  }

  private static Path root() {
    Path at = Path.of("").toAbsolutePath();
    while (!Files.exists(at.resolve("docs/spec.md"))) {
      at = at.getParent();
    }
    return at;
  }

  private static void writeLauncher(Path directory) throws IOException {
    Path launcher =
        Files.createFile(
            directory.resolve("sandbox"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
    String java =
        CliProcess.java().stream()
            .map(word -> "'" + word.replace("'", "'\\''") + "'")
            .collect(Collectors.joining(" "));
    Files.writeString(launcher, "#!/bin/sh\nexec " + java + " \"$@\"\n");
  }

  @ParameterizedTest
  @MethodSource("examples")
  void examplesShowWhatHappens(ConsoleExample example) throws Exception {
    check(example, directory);
  }

  /** Runs the example in a directory that holds the launcher. */
  static void check(ConsoleExample example, Path directory) throws Exception {
    writeLauncher(directory);
    String script =
        example.steps().stream()
            .map(step -> step.command() + "\necho '" + MARK + "'\n")
            .collect(
                Collectors.joining(
                    "",
                    "exec 2>&1\ncd '" + directory + "'\nexport XDG_STATE_HOME=\"$PWD/state\"\n",
                    ""));

    CliProcess.Result result = CliProcess.script(script);

    List<List<String>> seen = split(result.out());
    assertThat(seen).hasSameSizeAs(example.steps());
    for (int i = 0; i < seen.size(); i++) {
      ConsoleExample.Step step = example.steps().get(i);
      assertThat(step.matches(seen.get(i)))
          .as("%s%n%s%nexpected:%n%s", step.command(), seen.get(i), step.output())
          .isTrue();
    }
  }

  private static List<List<String>> split(String output) {
    List<List<String>> parts = new ArrayList<>();
    List<String> lines = new ArrayList<>();
    for (String line : output.lines().toList()) {
      if (line.equals(MARK)) {
        parts.add(lines);
        lines = new ArrayList<>();
      } else {
        lines.add(line);
      }
    }
    return parts;
  }
}
