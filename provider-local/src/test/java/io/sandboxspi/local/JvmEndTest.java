package io.sandboxspi.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@EnabledOnOs(OS.LINUX)
class JvmEndTest {
  @TempDir Path temporary;

  @ParameterizedTest
  @ValueSource(strings = {"exit", "term", "return", "hook", "provider"})
  @Tag("S-LIFE-08")
  void theEndOfTheJvmLeavesNothing(String how) throws Exception {
    String seconds = Integer.toString(700_000 + new Random().nextInt(90_000));
    Path errors = temporary.resolve("errors");
    Path work = Files.createDirectory(temporary.resolve("work"));
    Process host =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Djava.io.tmpdir=" + work,
                "-cp",
                System.getProperty("java.class.path"),
                EndingHost.class.getName(),
                how,
                seconds)
            .redirectError(errors.toFile())
            .start();
    try (BufferedReader output = host.inputReader(StandardCharsets.UTF_8)) {
      while (!"READY".equals(output.readLine())) {
        assertThat(host.isAlive()).isTrue();
      }
      if (how.equals("term")) {
        host.destroy();
      }
      assertThat(host.waitFor(20, TimeUnit.SECONDS)).isTrue();
    } finally {
      host.destroyForcibly();
    }
    assertThat(sleepers(seconds)).isEmpty();
    try (Stream<Path> left = Files.list(work)) {
      assertThat(left.filter(path -> path.getFileName().toString().startsWith("sandbox-")))
          .isEmpty();
    }
    assertThat(Files.readString(errors)).doesNotContain("Exception", "\tat ");
  }

  private static List<String> sleepers(String seconds) {
    String[] names = new File("/proc").list();
    return Stream.of(names == null ? new String[0] : names)
        .filter(name -> Character.isDigit(name.charAt(0)))
        .filter(name -> command(name).equals("sleep\0" + seconds + "\0"))
        .toList();
  }

  private static String command(String pid) {
    try {
      return Files.readString(Path.of("/proc", pid, "cmdline"), StandardCharsets.ISO_8859_1);
    } catch (java.io.IOException gone) {
      return "";
    }
  }
}
