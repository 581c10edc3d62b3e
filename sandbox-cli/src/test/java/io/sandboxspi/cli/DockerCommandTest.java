package io.sandboxspi.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import io.sandboxspi.tck.Rule;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The command with containers, looked at with docker's own. Each test leaves none. */
class DockerCommandTest {
  private static final String IMAGE = "sandbox-test:busybox";

  private final String label = "sandbox.test=" + UUID.randomUUID();

  @TempDir private Path directory;

  @BeforeEach
  void engine() throws Exception {
    if (!docker("image", "inspect", IMAGE).ok()) {
      String missing = "needs a Docker engine with " + IMAGE + " (.ci/test-images makes it)";
      if (!System.getenv().getOrDefault("SANDBOX_CI", "").isEmpty()) {
        fail(missing);
      }
      Assumptions.abort(missing);
    }
  }

  @AfterEach
  void nothingIsLeft() throws Exception {
    List<String> left = containers();
    for (String container : left) {
      docker("rm", "-f", container);
    }
    assertThat(left).as("containers that are left").isEmpty();
  }

  @Test
  @Rule("S-CLI-01")
  void passesOutputAndExitCodeThrough() throws Exception {
    assertThat(run("", "sh", "-c", "echo hi; exit 7"))
        .isEqualTo(new CliProcess.Result(7, "hi\n", ""));
  }

  @Test
  @Rule("S-CLI-01")
  void forwardsInputWithItsEnd() throws Exception {
    CliProcess.Result result =
        CliProcess.run(
            "hello\n".getBytes(StandardCharsets.UTF_8),
            words(List.of(), "sh", "-c", "cat; echo tail"));

    assertThat(result).isEqualTo(new CliProcess.Result(0, "hello\ntail\n", ""));
  }

  @Test
  @Rule({"S-CLI-01", "S-CLI-11"})
  void aTimeoutLeavesNoProcessInAKeptContainer() throws Exception {
    CliProcess.Result result =
        CliProcess.run(
            words(
                List.of("--timeout", "2s", "--keep"),
                "sh",
                "-c",
                "sleep 300 & setsid sleep 301 & sleep 302"));

    assertThat(result.code()).isEqualTo(124);
    String container = containers().get(0);
    assertThat(result.err()).contains("timeout", "sandbox: kept container=" + container);
    assertThat(docker("top", container).output())
        .contains("sleep 86400")
        .doesNotContain("sleep 30");

    CliProcess.Result reaped = CliProcess.run("reap", "--provider", "docker");
    assertThat(reaped.out()).contains("removed", container);
  }

  @Test
  @Rule("S-CLI-10")
  void removesWhatAKilledCommandLeft() throws Exception {
    try (CliProcess killed =
        CliProcess.start(Map.of(), words(List.of(), "sh", "-c", "echo up; sleep 100"))) {
      String unused = killed.outputUntil("up");
      String container = containers().get(0);
      assertThat(CliProcess.run("reap", "--provider", "docker").out()).doesNotContain(container);
      killed.signal("KILL");
      Object ended = killed.end();

      CliProcess.Result dry = CliProcess.run("reap", "--provider", "docker", "--dry-run");
      assertThat(dry.out()).contains("orphan", container);
      assertThat(containers()).containsExactly(container);
      CliProcess.Result reaped = CliProcess.run("reap", "--provider", "docker");
      assertThat(reaped.out()).contains("removed", container);
    }
  }

  @Test
  @Rule("S-CLI-01")
  void optionsReachTheContainer() throws Exception {
    CliProcess.Result result =
        CliProcess.run(
            words(
                List.of("--user", "1000:1000", "--workdir", "/tmp", "--env", "A=b"),
                "sh",
                "-c",
                "id -u; pwd; echo $A"));

    assertThat(result).isEqualTo(new CliProcess.Result(0, "1000\n/tmp\nb\n", ""));
  }

  @Test
  @Rule({"S-CLI-09", "S-USER-02"})
  void filesAreAnAccountsOwn() throws Exception {
    String image = "image=" + IMAGE;
    named(
        "create",
        "--provider",
        "docker",
        "--name",
        "accounts",
        "--option",
        image,
        "--option",
        "network=none",
        "--option",
        "labels=" + label);
    named("exec", "accounts", "--", "sh", "-c", "echo secret >x; chmod 600 x; chmod 777 .");
    Path source = Files.writeString(directory.resolve("mine"), "mine");

    named("put", "accounts", source.toString(), "mine", "--user", "sandbox");

    assertThat(named("exec", "accounts", "--", "stat", "-c", "%U", "mine").out())
        .isEqualTo("sandbox\n");
    assertThat(named("get", "accounts", "x", "-").out()).isEqualTo("secret\n");
    CliProcess.Result refused = in("get", "accounts", "x", "-", "--user", "sandbox");
    assertThat(refused.code()).as(refused.err()).isEqualTo(125);
    assertThat(refused.out()).isEmpty();
    named("rm", "accounts");
  }

  private CliProcess.Result named(String... words) throws Exception {
    CliProcess.Result result = in(words);
    assertThat(result.code()).as(result.err()).isZero();
    return result;
  }

  /** With a memory of sandboxes of its own. */
  private CliProcess.Result in(String... words) throws Exception {
    try (CliProcess cli = CliProcess.start(Map.of("XDG_STATE_HOME", directory.toString()), words)) {
      return cli.end();
    }
  }

  @Test
  @Rule("S-CLI-02")
  void aMissingImageIsOneLine() throws Exception {
    CliProcess.Result missing =
        CliProcess.run(
            "run", "--provider", "docker", "--image", "no/such", "--option", "pull=never", "true");
    assertThat(missing.code()).isEqualTo(125);
    assertThat(missing.err()).startsWith("sandbox: ").contains("no/such").hasLineCount(1);

    CliProcess.Result none = CliProcess.run("run", "--provider", "docker", "true");
    assertThat(none.code()).isEqualTo(2);
    assertThat(none.err()).startsWith("sandbox: ").contains("image").hasLineCount(1);
  }

  @Test
  @Rule("S-CLI-05")
  void checksTheProvider() throws Exception {
    CliProcess.Result result =
        CliProcess.run(
            "tck",
            "--provider",
            "docker",
            "--image",
            IMAGE,
            "--option",
            "labels=" + label,
            "--rule",
            "S-EXEC-08",
            "--report",
            directory.toString());

    assertThat(result.code()).as(result.out()).isZero();
    assertThat(directory.resolve("report.json")).exists();
  }

  @ParameterizedTest
  @MethodSource("examples")
  void examplesShowWhatHappens(ConsoleExample example) throws Exception {
    DocumentsTest.check(example, directory);
  }

  static Stream<ConsoleExample> examples() throws IOException {
    return DocumentsTest.all().filter(ConsoleExample::needsDocker);
  }

  private CliProcess.Result run(String input, String... command) throws Exception {
    return CliProcess.run(input.getBytes(StandardCharsets.UTF_8), words(List.of(), command));
  }

  private String[] words(List<String> options, String... command) {
    List<String> words = new ArrayList<>(List.of("run", "--provider", "docker", "--image", IMAGE));
    words.addAll(List.of("--option", "labels=" + label));
    words.addAll(options);
    words.add("--");
    words.addAll(List.of(command));
    return words.toArray(String[]::new);
  }

  /** Those of this test. */
  private List<String> containers() throws Exception {
    return docker("ps", "-aq", "--no-trunc", "--filter", "label=" + label)
        .output()
        .lines()
        .toList();
  }

  /** What docker's own command says. */
  private record Said(boolean ok, String output) {}

  private static Said docker(String... arguments) throws Exception {
    List<String> argv = new ArrayList<>(List.of("docker"));
    argv.addAll(List.of(arguments));
    Process docker;
    try {
      docker = new ProcessBuilder(argv).redirectErrorStream(true).start();
    } catch (IOException noCommand) {
      return new Said(false, "there is no docker command");
    }
    String output = new String(docker.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Said(docker.waitFor(30, TimeUnit.SECONDS) && docker.exitValue() == 0, output);
  }
}
