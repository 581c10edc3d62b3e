package io.sandboxspi.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Processes of this machine that tests watch. */
final class Processes {
  private static final int SECONDS = 10;

  private Processes() {}

  /** Waits for the end; one that nobody has collected yet counts as ended. */
  static void assertEnds(long pid) {
    Optional<ProcessHandle> process =
        ProcessHandle.of(pid).filter(it -> it.info().commandLine().isPresent());
    process.ifPresent(it -> assertThat(it.onExit()).succeedsWithin(SECONDS, TimeUnit.SECONDS));
  }

  /** Processes with the text in their environment, for instance a workspace below a directory. */
  static List<String> mentioning(String text) throws IOException {
    List<String> found = new ArrayList<>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
      for (Path process : all) {
        if (environment(process).contains(text)) {
          found.add(process.getFileName().toString());
        }
      }
    }
    return found;
  }

  private static String environment(Path process) {
    try {
      return Files.readString(process.resolve("environ"), StandardCharsets.ISO_8859_1);
    } catch (IOException gone) {
      return "";
    }
  }
}
