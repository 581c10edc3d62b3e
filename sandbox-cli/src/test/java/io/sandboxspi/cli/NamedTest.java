package io.sandboxspi.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sandboxspi.Snapshot;
import io.sandboxspi.core.snapshot.LocalSnapshots;
import io.sandboxspi.core.snapshot.SnapshotStores;
import io.sandboxspi.core.workspace.TarTree;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.SnapshotStore;
import io.sandboxspi.spi.TreeEntry;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sandboxes that have names, by the command in processes of its own. */
class NamedTest {
  @TempDir Path temporary;
  private Map<String, String> environment;

  @BeforeEach
  void home() {
    environment = Map.of("XDG_STATE_HOME", temporary.toString());
  }

  private CliProcess.Result cli(String... arguments) throws Exception {
    try (CliProcess cli = CliProcess.start(environment, arguments)) {
      cli.input().close();
      return cli.end();
    }
  }

  private String good(String... arguments) throws Exception {
    CliProcess.Result result = cli(arguments);
    assertThat(result.err()).as(List.of(arguments).toString()).isEmpty();
    assertThat(result.code()).as(List.of(arguments).toString()).isZero();
    return result.out();
  }

  private List<Path> below(String directory) throws IOException {
    Path top = temporary.resolve("sandbox").resolve(directory);
    if (!Files.isDirectory(top)) {
      return List.of();
    }
    try (Stream<Path> all = Files.walk(top)) {
      return all.filter(path -> !path.equals(top)).toList();
    }
  }

  @Test
  @Tag("S-CLI-07")
  void aSandboxIsMadeUsedSavedRemovedAndBroughtBack() throws Exception {
    assertThat(good("create", "--name", "demo", "--snapshot", "local")).isEqualTo("demo\n");
    good("exec", "demo", "--", "sh", "-c", "seq 1 100000 > a.txt");
    good("stop", "demo");
    assertThat(good("ls")).contains("demo", "live", "local 1");
    assertThat(good("exec", "demo", "--", "wc", "-l", "a.txt")).isEqualTo("100000 a.txt\n");
    good("rm", "demo", "--keep-snapshot");
    assertThat(below("workspaces")).isEmpty();
    CliProcess.Result gone = cli("exec", "demo", "--", "true");
    assertThat(gone.code()).isEqualTo(125);
    assertThat(gone.err()).contains("demo", "resume");
    assertThat(good("ls", "--json")).contains("\"saved\"");
    good("resume", "demo");
    assertThat(good("exec", "demo", "--", "wc", "-l", "a.txt")).isEqualTo("100000 a.txt\n");
    good("exec", "demo", "--", "sh", "-c", "echo more >> a.txt");
    good("resume", "demo", "--restore");
    assertThat(good("exec", "demo", "--", "wc", "-l", "a.txt")).isEqualTo("100000 a.txt\n");
    good("rm", "demo");
    assertThat(below("workspaces")).isEmpty();
    assertThat(below("sandboxes")).isEmpty();
    assertThat(below("snapshots")).noneMatch(path -> path.toString().endsWith(".content"));
    assertThat(cli("exec", "demo", "--", "true").code()).isEqualTo(2);
  }

  @Test
  @Tag("S-CLI-07")
  void wrongUseIsToldBeforeAnythingIsMade() throws Exception {
    assertThat(cli("create", "--name", "a/b").code()).isEqualTo(2);
    assertThat(cli("create", "--name", "x", "--snapshot", "nowhere").err())
        .contains("none, local, memory");
    assertThat(cli("create", "--name", "x", "--option", "no=1").code()).isEqualTo(2);
    assertThat(below("sandboxes")).isEmpty();
    assertThat(below("workspaces")).isEmpty();
    good("create", "--name", "x");
    assertThat(cli("create", "--name", "x").err()).contains("already");
    assertThat(cli("rm", "x", "--keep-snapshot").err()).contains("no snapshot");
    assertThat(cli("exec", "x").code()).isEqualTo(2);
    assertThat(cli("attach", "x").err()).contains("needs a terminal");
    assertThat(cli("exec", "x", "--", "sh", "-c", "exit 7").code()).isEqualTo(7);
    good("rm", "x");
  }

  @Test
  @Tag("S-CLI-09")
  void aFileLargerThanTheHeapGoesInAndOut() throws Exception {
    Path big = temporary.resolve("big.bin");
    byte[] block = new byte[1 << 20];
    new Random(7).nextBytes(block);
    try (var out = Files.newOutputStream(big)) {
      for (int i = 0; i < 96; i++) {
        block[0] = (byte) i;
        out.write(block);
      }
    }
    good("create", "--name", "demo");
    environment =
        Map.of(
            "XDG_STATE_HOME", temporary.toString(), "JAVA_TOOL_OPTIONS", "-Xmx64m -Xlog:disable");
    Path back = temporary.resolve("back.bin");
    assertThat(cli("put", "demo", big.toString(), "dir/big").code()).isZero();
    assertThat(cli("get", "demo", "dir/big", back.toString()).code()).isZero();
    assertThat(Files.mismatch(big, back)).isEqualTo(-1);
    environment = Map.of("XDG_STATE_HOME", temporary.toString());
    good("exec", "demo", "--", "sh", "-c", "echo hi > small");
    assertThat(good("get", "demo", "small", "-")).isEqualTo("hi\n");
    try (CliProcess put = CliProcess.start(environment, "put", "demo", "-", "from")) {
      put.input().write("piped".getBytes(StandardCharsets.UTF_8));
      put.input().close();
      assertThat(put.end().code()).isZero();
    }
    assertThat(good("get", "demo", "from", "-")).isEqualTo("piped");
    assertThat(cli("get", "demo", "nothing", "-").code()).isEqualTo(125);
    assertThat(cli("put", "demo", temporary.resolve("no").toString(), "x").code()).isEqualTo(2);
    good("rm", "demo");
  }

  @Test
  @Tag("S-CLI-09")
  void aDirectoryGoesInAndOutAndALongTransferIsShown() throws Exception {
    Path in = Files.createDirectories(temporary.resolve("in/d"));
    Files.write(in.resolve("big"), new byte[(int) Progress.LEAST + 1]);
    Files.createSymbolicLink(in.resolve("link"), Path.of("big"));
    Path back = temporary.resolve("back");
    good("create", "--name", "demo");
    for (String[] each :
        new String[][] {
          {"put", "demo", temporary.resolve("in").toString(), "up"},
          {"get", "demo", "up", back.toString()}
        }) {
      try (OuterTerminal terminal = OuterTerminal.start(environment, each)) {
        terminal.await("10 MiB");
        terminal.await("code=0");
      }
    }
    assertThat(Files.mismatch(in.resolve("big"), back.resolve("d/big"))).isEqualTo(-1);
    assertThat(Files.readSymbolicLink(back.resolve("d/link"))).isEqualTo(Path.of("big"));
    try (OuterTerminal terminal =
        OuterTerminal.start(environment, "put", "demo", in.resolve("big").toString(), "one")) {
      terminal.await("100 %");
      terminal.await("code=0");
    }
    CliProcess.Result refused = cli("get", "demo", "up", back.toString());
    assertThat(refused.code()).isEqualTo(2);
    assertThat(refused.err()).contains(back.toString());
    assertThat(cli("get", "demo", "up", "-").code()).isEqualTo(2);
    good("rm", "demo");
  }

  @Test
  @Tag("S-CLI-08")
  void manyAtOnceSpoilNothing() throws Exception {
    List<CliProcess> creating = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      creating.add(
          CliProcess.start(environment, "create", "--name", "demo", "--snapshot", "local"));
    }
    int made = 0;
    for (CliProcess each : creating) {
      made += each.end().code() == 0 ? 1 : 0;
    }
    assertThat(made).isEqualTo(1);
    List<CliProcess> using = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      using.add(CliProcess.start(environment, "exec", "demo", "--", "sh", "-c", "echo x > f" + i));
      using.add(CliProcess.start(environment, "stop", "demo"));
    }
    for (CliProcess each : using) {
      CliProcess.Result result = each.end();
      assertThat(result.code()).as(result.err()).isZero();
    }
    good("stop", "demo");
    good("rm", "demo", "--keep-snapshot");
    good("resume", "demo");
    assertThat(good("exec", "demo", "--", "ls")).isEqualTo("f0\nf1\n");
    good("rm", "demo");
  }

  @Test
  @Tag("S-CLI-08")
  void oneThatIsToldToEndLeavesTheSandboxAndNoProcess() throws Exception {
    good("create", "--name", "demo");
    try (CliProcess exec =
        CliProcess.start(
            environment, "exec", "demo", "--", "sh", "-c", "echo up; echo kept > f; sleep 60")) {
      exec.outputUntil("up");
      exec.signal("TERM");
      assertThat(exec.end().code()).isEqualTo(143);
    }
    assertThat(Processes.mentioning(temporary.toString())).isEmpty();
    assertThat(good("exec", "demo", "--", "cat", "f")).isEqualTo("kept\n");
    good("rm", "demo");
  }

  @Test
  @Tag("S-LOCAL-06")
  @Tag("S-CLI-08")
  void whatAKilledCommandLeftIsEndedBeforeAnythingIsSaved() throws Exception {
    good("create", "--name", "demo", "--snapshot", "local");
    try (CliProcess exec =
        CliProcess.start(
            environment,
            "exec",
            "demo",
            "--",
            "sh",
            "-c",
            "setsid sh -c 'while :; do date >> f; sleep 0.05; done' & echo up; sleep 60")) {
      exec.outputUntil("up");
      exec.signal("KILL");
      exec.end();
    }
    assertThat(Processes.mentioning(temporary.toString())).isNotEmpty();
    good("stop", "demo");
    assertThat(Processes.mentioning(temporary.toString())).isEmpty();
    good("rm", "demo");
  }

  /**
   * A stop that is killed at a random moment leaves whole snapshots only. {@code
   * -Dsandbox.kills=20} for more than a few.
   */
  @Test
  @Tag("S-CLI-08")
  @Tag("S-SNAP-03")
  void aStopThatIsKilledLeavesWholeSnapshotsOnly() throws Exception {
    int kills = Integer.getInteger("sandbox.kills", 3);
    long seed = System.nanoTime();
    Random random = new Random(seed);
    good("create", "--name", "demo", "--snapshot", "local");
    good("exec", "demo", "--", "sh", "-c", "seq 1 3000000 > a; sha256sum < a > sum");
    long started = System.nanoTime();
    good("stop", "demo");
    long whole = System.nanoTime() - started;
    for (int i = 1; i <= kills; i++) {
      good("exec", "demo", "--", "sh", "-c", "echo " + i + " >> a; sha256sum < a > sum");
      try (CliProcess stop = CliProcess.start(environment, "stop", "demo")) {
        LockSupport.parkNanos((long) (whole * (0.3 + 0.7 * random.nextDouble())));
        stop.signal("KILL");
        stop.end();
      }
      assertThat(wholeSnapshots()).as("kill %s, seed %s", i, seed).isPositive();
    }
    good("rm", "demo", "--keep-snapshot");
    good("resume", "demo");
    assertThat(good("exec", "demo", "--", "sh", "-c", "sha256sum < a | cmp - sum")).isEmpty();
    good("rm", "demo");
  }

  /** How many snapshots are listed; each is read to its end, and holds what belongs together. */
  private int wholeSnapshots() throws Exception {
    Path directory = temporary.resolve("sandbox").resolve("snapshots");
    SnapshotStore store =
        SnapshotStores.open("local", Map.of(LocalSnapshots.DIRECTORY, directory.toString()));
    Deadline soon = Deadline.after(Duration.ofSeconds(60));
    String lineage =
        new NamedSandboxes(temporary.resolve("sandbox"))
            .get("demo")
            .where()
            .orElseThrow()
            .lineage();
    List<Snapshot> listed = store.list(lineage, soon);
    for (Snapshot snapshot : listed) {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      String sum = "";
      try (InputStream content = store.open(snapshot, soon);
          TarTree tar = new TarTree(content)) {
        byte[] buffer = new byte[64 * 1024];
        for (Optional<TreeEntry> next = tar.next(); next.isPresent(); next = tar.next()) {
          for (int n = tar.read(buffer, 0, buffer.length);
              n > 0;
              n = tar.read(buffer, 0, buffer.length)) {
            if (next.get().path().equals("a")) {
              digest.update(buffer, 0, n);
            } else if (next.get().path().equals("sum")) {
              sum += new String(buffer, 0, n, StandardCharsets.US_ASCII);
            }
          }
        }
      }
      assertThat(sum).startsWith(HexFormat.of().formatHex(digest.digest()));
    }
    return listed.size();
  }
}
