package io.sandboxspi.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sandboxspi.tck.Rule;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sandboxes that outlive their command, of the local provider. */
class LeftSandboxesTest {
  @TempDir private Path temporary;

  @Test
  @Rule("S-CLI-10")
  void removesWhatAKilledCommandLeftAndNothingThatIsInUse() throws Exception {
    try (CliProcess killed = start("run", "--", "sh", "-c", "echo $$; exec sleep 100");
        CliProcess used = start("run", "--", "sh", "-c", "echo $$; read line")) {
      long orphan = Long.parseLong(killed.outputUntil("\n").strip());
      String unused = used.outputUntil("\n");
      killed.signal("KILL");
      Object code = killed.end();
      assertThat(sandboxes()).hasSize(2);

      assertThat(run("reap", "--dry-run").out())
          .contains("orphan ")
          .endsWith("1 orphan, 1 owned\n");
      assertThat(sandboxes()).hasSize(2);
      assertThat(run("reap", "--older-than", "1h").out()).isEqualTo("1 owned, 1 young\n");
      assertThat(run("reap").out()).contains("removed ").endsWith("1 removed, 1 owned\n");
      assertThat(sandboxes()).hasSize(1);

      used.input().write('\n');
      used.input().flush();
      assertThat(used.end().code()).isZero();
      assertThat(run("reap").out()).isEqualTo("no sandboxes\n");
      ProcessHandle.of(orphan).ifPresent(ProcessHandle::destroyForcibly);
    }
  }

  @Test
  @Rule("S-CLI-11")
  void keepsTheSandboxAndNoProcess() throws Exception {
    CliProcess.Result result =
        run("run", "--keep", "--", "sh", "-c", "setsid sleep 100 & echo $! > pid; cat pid; exit 3");

    assertThat(result.code()).isEqualTo(3);
    Processes.assertEnds(Long.parseLong(result.out().strip()));
    List<Path> kept = sandboxes();
    assertThat(kept).hasSize(1);
    assertThat(result.err()).contains("sandbox: kept base=" + kept.get(0).toRealPath() + " ");
    assertThat(kept.get(0).resolve("workspace/pid")).exists();
    assertThat(run("reap").out()).endsWith("1 removed\n");
    assertThat(sandboxes()).isEmpty();
  }

  @Test
  @Rule("S-REAP-04")
  void keepsWhatHasAName() throws Exception {
    assertThat(run("create", "--name", "mine", "--snapshot", "none").code()).isZero();
    assertThat(run("reap").out()).doesNotContain("removed");
    assertThat(run("exec", "mine", "--", "echo", "here").out()).isEqualTo("here\n");
    assertThat(run("rm", "mine").code()).isZero();
    assertThat(run("reap").out()).isEqualTo("no sandboxes\n");
  }

  @Test
  @Rule("S-CLI-10")
  void aProviderThatListsNothingSaysSo() throws Exception {
    CliProcess.Result result =
        CliProcess.runWithMoreProviders("reap", "--provider", "absent", "--dry-run");

    assertThat(result.code()).isEqualTo(125);
    assertThat(result.err()).startsWith("sandbox: ").contains("absent").hasLineCount(1);
  }

  private CliProcess start(String... arguments) throws Exception {
    return CliProcess.start(
        Map.of(
            "JAVA_TOOL_OPTIONS",
            "-Djava.io.tmpdir=" + temporary,
            "XDG_STATE_HOME",
            temporary.resolve("state").toString()),
        arguments);
  }

  private CliProcess.Result run(String... arguments) throws Exception {
    try (CliProcess cli = start(arguments)) {
      cli.input().close();
      return cli.end();
    }
  }

  private List<Path> sandboxes() throws Exception {
    try (Stream<Path> files = Files.list(temporary)) {
      return files.filter(file -> file.getFileName().toString().startsWith("sandbox-")).toList();
    }
  }
}
