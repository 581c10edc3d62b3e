package io.sandboxspi.core.posix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sandboxspi.ExitStatus;
import io.sandboxspi.core.pty.Within;
import io.sandboxspi.spi.LaunchId;
import io.sandboxspi.spi.LaunchRequest;
import io.sandboxspi.spi.TerminationOutcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Kills real trees under every shell. */
@ParameterizedClass
@EnumSource(World.class)
class PosixKillTest {
  private static final TerminationOutcome CONFIRMED = TerminationOutcome.confirmed();
  private static final TerminationOutcome GONE = TerminationOutcome.alreadyGone();

  @Parameter World world;
  private Bed bed;

  @BeforeEach
  void open() throws Exception {
    bed = new Bed(world);
  }

  @AfterEach
  void close() throws Exception {
    bed.close();
  }

  /** The number of sleeps with this duration that run. */
  private static void running(String sleep, int count) {
    Within.until(() -> Bed.alive(sleep).size() == count);
  }

  private void proven(LaunchRequest request, String sleep) throws Exception {
    assertThat(bed.kill(request.id())).containsExactly(Map.entry(request.id(), CONFIRMED));
    assertThat(Bed.alive(sleep)).isEmpty();
    assertThat(Bed.alive(request.id())).isEmpty();
    assertThat(bed.kept(request.id())).isEmpty();
    assertThat(bed.kill(request.id())).containsValue(GONE);
  }

  @Test
  @Tag("S-CLEAN-09")
  void aGroupEndsAlsoWithoutItsLeader() throws Exception {
    String sleep = bed.unique();
    LaunchRequest request = bed.script("sleep " + sleep + " & sleep " + sleep + " & exit 4");
    Process process = bed.start(bed.launcher().argv(request, "/"));
    assertThat(process.waitFor()).isEqualTo(4);
    running(sleep, 2);
    assertThat(bed.status(request.id())).isEqualTo(LaunchReport.EndedUnseen.INSTANCE);
    proven(request, sleep);
  }

  @Test
  @Tag("S-CLEAN-09")
  @Tag("S-SPI-04")
  void whatLeftTheGroupEnds() throws Exception {
    String sleep = bed.unique();
    String setsid = World.find("setsid").toString();
    String escapes =
        String.join(
            "\n",
            // A child in a session of its own, a daemon that forked twice, one that ignores
            // hangups.
            setsid + " sleep " + sleep + " &",
            "(" + setsid + " sh -c 'sleep " + sleep + " & sleep " + sleep + "' &)",
            World.find("nohup") + " sleep " + sleep + " >/dev/null 2>&1 &",
            // No cookie, but a session that has one, or only a parent.
            "("
                + setsid
                + " sh -c '"
                + setsid
                + " env -i "
                + World.find("sleep")
                + " "
                + sleep
                + " & wait' &)",
            "(" + setsid + " sh -c 'env -i " + World.find("sleep") + " " + sleep + " & wait' &)",
            "sh -c 'trap \"\" TERM HUP INT; sleep " + sleep + "' &",
            "sleep " + sleep);
    LaunchRequest request = bed.script(escapes);
    bed.launch(request);
    running(sleep, 8);
    proven(request, sleep);
  }

  @Test
  @Tag("S-CLEAN-09")
  void whatEscapedEndsAlsoWithoutRecordedGroup() throws Exception {
    String sleep = bed.unique();
    String setsid = World.find("setsid").toString();
    LaunchRequest request =
        bed.script("(" + setsid + " sh -c 'sleep " + sleep + "; :' &) ; exit 0");
    bed.start(bed.launcher().argv(request, "/")).waitFor();
    running(sleep, 1);
    proven(request, sleep);
  }

  @Test
  @Tag("S-CLEAN-09")
  void stoppedProcessesEnd() throws Exception {
    String sleep = bed.unique();
    LaunchRequest request = bed.script("sleep " + sleep + " & sleep " + sleep);
    bed.launch(request);
    running(sleep, 2);
    String stop = PosixSignal.command(bed.state, io.sandboxspi.Signal.STOP, request.id());
    assertThat(PosixSignal.parse(request.id(), bed.run(bed.state.argv(stop)).text()))
        .isEqualTo(PosixSignal.Answer.SENT);
    Within.until(() -> Bed.alive(sleep).stream().allMatch(pid -> Bed.state(pid).equals("T")));
    proven(request, sleep);
  }

  @Test
  @Tag("S-SPI-04")
  void aZombieIsNoLife() throws Exception {
    LaunchRequest request = bed.script("exit 0");
    String sleep = bed.unique();
    String setsid = World.find("setsid") + " ";
    String parent =
        setsid + ShellText.quote(bed.launcher().argv(request, "/")) + " & exec sleep " + sleep;
    Process process =
        bed.start(List.of(World.find("setsid").toString(), bed.state.shell(), "-c", parent));
    running(sleep, 1);
    Within.until(
        () -> process.toHandle().children().anyMatch(one -> Bed.state(one.pid()).equals("Z")));
    assertThat(bed.kill(request.id())).containsValue(GONE);
    assertThat(bed.kept(request.id())).isEmpty();
    running(sleep, 1);
  }

  @Test
  @Tag("S-POSIX-04")
  void aKillTellsHowAProgramHadEnded() throws Exception {
    LaunchRequest request = bed.script("exit 3");
    bed.run(bed.launcher(LaunchOption.SUPERVISE).argv(request, "/"));
    List<LaunchId> one = List.of(request.id());
    List<String> kill = bed.state.argv(PosixKill.command(bed.state, one, Duration.ofSeconds(20)));
    String answer = bed.run(kill).text();
    assertThat(PosixKill.parse(one, answer)).containsValue(GONE);
    assertThat(PosixKill.ends(one, answer))
        .containsValue(new LaunchReport.Ended(new ExitStatus.Exited(3)));
    assertThat(PosixKill.ends(one, bed.run(kill).text())).isEmpty();
  }

  @Test
  @Tag("S-SPI-03")
  void aKilledIdNeverStarts() throws Exception {
    LaunchRequest request = bed.script("echo ran");
    assertThat(bed.kill(request.id())).containsValue(GONE);
    Bed.Result result = bed.run(bed.launcher().argv(request, "/"));
    assertThat(result.output()).isEmpty();
    assertThat(result.code()).isEqualTo(125);
  }

  @Test
  @Tag("S-SPI-03")
  void aKillAtAnyMomentOfAStartLeavesNothing() throws Exception {
    for (int i = 0; i < 15; i++) {
      String sleep = bed.unique();
      LaunchRequest request = bed.script("sleep " + sleep + " & sleep " + sleep);
      Process process = bed.start(bed.launcher(LaunchOption.ANNOUNCE).argv(request, "/"));
      if (i % 3 == 1) {
        process.getInputStream().read();
      } else if (i % 3 == 2) {
        Within.until(() -> Files.exists(bed.file(request.id(), "pid")));
      }
      assertThat(bed.kill(request.id()).get(request.id()).proven()).isTrue();
      assertThat(process.waitFor()).isIn(125, 137);
      assertThat(Bed.alive(sleep)).isEmpty();
    }
  }

  @Test
  @Tag("S-CLEAN-10")
  @Tag("S-POSIX-07")
  void anotherProcessWithTheRecordedNumberIsNotTouched() throws Exception {
    String sleep = bed.unique();
    Process stranger = bed.start(List.of(World.find("setsid").toString(), "sleep", sleep));
    running(sleep, 1);
    LaunchId id = bed.request("x").id();
    Files.createDirectory(Path.of(bed.state.directory()));
    Files.writeString(bed.file(id, "pid"), stranger.pid() + " 1 - .\n");
    assertThat(bed.kill(id)).containsValue(GONE);
    running(sleep, 1);
    String term = PosixSignal.command(bed.state, io.sandboxspi.Signal.TERM, id);
    assertThat(PosixSignal.parse(id, bed.run(bed.state.argv(term)).text()))
        .isEqualTo(PosixSignal.Answer.GONE);
  }

  @Test
  @Tag("S-CLEAN-10")
  @Tag("S-POSIX-07")
  void anotherLaunchsGroupWithTheRecordedNumberIsNotTouched() throws Exception {
    String sleep = bed.unique();
    LaunchRequest other = bed.script("sleep " + sleep + " & exit 0");
    bed.start(bed.launcher().argv(other, "/")).waitFor();
    running(sleep, 1);
    LaunchId id = bed.request("x").id();
    String[] record = Files.readString(bed.file(other.id(), "pid")).split(" ");
    long earlier = Long.parseLong(record[1]) - 10;
    Files.writeString(bed.file(id, "pid"), record[0] + " " + earlier + " - .\n");
    assertThat(bed.kill(id)).containsValue(GONE);
    running(sleep, 1);
    assertThat(bed.kill(other.id())).containsValue(CONFIRMED);
  }

  @Test
  @Tag("S-POSIX-07")
  void othersLiveOn() throws Exception {
    String mine = bed.unique();
    String theirs = bed.unique();
    // Its text, its arguments and another of its variables name the victim; it is no part of it.
    LaunchRequest victim = bed.script("sleep " + mine);
    bed.launch(victim);
    LaunchRequest other =
        bed.request(
            Map.of(
                "NOTE", "x\nSANDBOX_PROCESS=" + victim.id() + "\nx",
                "OTHER", "SANDBOX_PROCESS=" + victim.id()),
            bed.state.shell(),
            "-c",
            "sleep " + theirs + "; : SANDBOX_PROCESS=" + victim.id());
    bed.launch(other);
    LaunchId longer = new LaunchId(victim.id() + "-longer");
    Process stranger =
        bed.start(List.of("/bin/sleep", theirs), Map.of("SANDBOX_PROCESS", longer.value()));
    running(mine, 1);
    running(theirs, 2);
    proven(victim, mine);
    running(theirs, 2);
    assertThat(stranger.isAlive()).isTrue();
    assertThat(bed.kill(other.id())).containsValue(CONFIRMED);
  }

  @Test
  @Tag("S-POSIX-07")
  void itsOwnShellLivesOn() throws Exception {
    LaunchRequest request = bed.script("x");
    String sleep = bed.unique();
    // The shell that kills belongs to the launch it kills.
    String text =
        PosixState.library()
            + "sleep "
            + sleep
            + " & "
            + PosixKill.command(bed.state, List.of(request.id()), Duration.ofSeconds(10))
            + "; echo lives";
    LaunchRequest inside =
        new LaunchRequest(
            request.id(),
            List.of(bed.state.shell(), "-c", text),
            Map.of(),
            java.util.Optional.empty(),
            java.util.Optional.empty(),
            false);
    Bed.Result result = bed.run(bed.launcher().argv(inside, "/"));
    assertThat(result.text()).endsWith("lives\n");
    assertThat(Bed.alive(sleep)).isEmpty();
  }

  @Test
  @Tag("S-POSIX-06")
  @Tag("S-SPI-04")
  void oneThatCannotBeKilledDoesNotKeepTheOthers() throws Exception {
    assumeTrue("root".equals(System.getProperty("user.name")), "needs root; CI runs it as root");
    String sleep = bed.unique();
    List<String> user =
        List.of(
            World.find("setpriv").toString(), "--reuid=65534", "--regid=65534", "--clear-groups");
    Path open = bed.root;
    Files.setPosixFilePermissions(
        open, java.nio.file.attribute.PosixFilePermissions.fromString("rwxrwxrwx"));
    Files.setPosixFilePermissions(
        world.tools(), java.nio.file.attribute.PosixFilePermissions.fromString("rwxr-xr-x"));
    List<LaunchId> ids = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      LaunchRequest request = bed.script("sleep " + sleep);
      List<String> argv = new ArrayList<>(user);
      argv.addAll(bed.launcher().argv(request, "/"));
      if (i != 20) {
        bed.start(argv);
      }
      ids.add(request.id());
    }
    running(sleep, 63);
    // The one of another user, as it looks after a change of users.
    Process fixed = bed.start(List.of(World.find("setsid").toString(), "/bin/sleep", sleep));
    running(sleep, 64);
    String stat = Bed.read(fixed.pid(), "stat");
    String start = stat.substring(stat.lastIndexOf(')') + 2).split(" ")[19];
    Path record = bed.file(ids.get(20), "pid");
    Files.writeString(record, fixed.pid() + " " + start + " - .\n");
    bed.run(List.of("/bin/chown", "65534:65534", record.toString()));

    List<String> argv = new ArrayList<>(user);
    argv.addAll(bed.state.argv(PosixKill.command(bed.state, ids, Duration.ofSeconds(60))));
    Map<LaunchId, TerminationOutcome> outcomes = PosixKill.parse(ids, bed.run(argv).text());
    for (int i = 0; i < 64; i++) {
      TerminationOutcome outcome = outcomes.get(ids.get(i));
      if (i == 20) {
        assertThat(outcome).isInstanceOf(TerminationOutcome.Unconfirmed.class);
        assertThat(((TerminationOutcome.Unconfirmed) outcome).cause()).hasMessageContaining("live");
      } else {
        assertThat(outcome).isEqualTo(CONFIRMED);
      }
    }
    assertThat(Bed.alive(sleep)).containsExactly(fixed.pid());
    assertThat(bed.kept(ids.get(20))).contains(ids.get(20) + ".dead", ids.get(20) + ".pid");
    assertThat(bed.kill(ids.get(20))).containsValue(CONFIRMED);
  }

  @Test
  @Tag("S-SPI-04")
  void killsOfOneLaunchAtTheSameTimeAreAllTrue() throws Exception {
    String sleep = bed.unique();
    LaunchRequest request =
        bed.script("for i in 1 2 3 4 5 6; do (sleep " + sleep + " &); done; sleep " + sleep);
    bed.launch(request);
    running(sleep, 7);
    List<Process> killers = new ArrayList<>();
    List<String> argv =
        bed.state.argv(PosixKill.command(bed.state, List.of(request.id()), Duration.ofSeconds(20)));
    for (int i = 0; i < 4; i++) {
      killers.add(bed.start(argv));
    }
    for (Process killer : killers) {
      String answer = new String(Bed.output(killer));
      assertThat(PosixKill.parse(List.of(request.id()), answer).get(request.id()).proven())
          .isTrue();
    }
    assertThat(Bed.alive(sleep)).isEmpty();
  }

  @Test
  @Tag("S-POSIX-03")
  void aHalfWrittenRecordIsNone() throws Exception {
    String sleep = bed.unique();
    Process stranger = bed.start(List.of(World.find("setsid").toString(), "sleep", sleep));
    running(sleep, 1);
    LaunchId id = bed.request("x").id();
    Files.createDirectory(Path.of(bed.state.directory()));
    for (String record :
        List.of("", "\n", "" + stranger.pid(), stranger.pid() + " 1", "-1 1 - .\n", "1 1 - .\n")) {
      Files.writeString(bed.file(id, "pid"), record);
      assertThat(bed.kill(id)).as(record).containsValue(GONE);
      assertThat(bed.status(id)).isEqualTo(LaunchReport.Unknown.INSTANCE);
      running(sleep, 1);
    }
  }

  @Test
  @Tag("S-POSIX-06")
  void aStateThatCannotBeWrittenProvesNothing() throws Exception {
    Files.createFile(Path.of(bed.state.directory()));
    LaunchId id = bed.request("x").id();
    assertThat(bed.kill(id).get(id)).isInstanceOf(TerminationOutcome.Unconfirmed.class);
  }

  @Test
  @Tag("S-POSIX-08")
  void onlyAWholeLineProves() {
    LaunchId a = new LaunchId("a");
    LaunchId b = new LaunchId("b");
    Map<LaunchId, TerminationOutcome> outcomes =
        PosixKill.parse(List.of(a, b), "noise\na CONFIRMED\nb GONE");
    assertThat(outcomes.get(a)).isEqualTo(CONFIRMED);
    assertThat(outcomes.get(b).proven()).isFalse();
    for (String answer :
        List.of(
            "",
            "a CONFIRMED \n",
            " a GONE\n",
            "a gone\n",
            "aa GONE\n",
            "a ALIVE\n",
            "a ALIVE 1 x\n",
            "a CONFIRMED\na ALIVE 7\n",
            "a ALIVE 7\na GONE\n",
            "a UNPROVEN proc\n",
            "a CONFIRMED\r\n\0")) {
      boolean carriage = answer.contains("\r");
      assertThat(PosixKill.parse(List.of(a), answer).get(a).proven())
          .as(answer)
          .isEqualTo(carriage);
    }
  }
}
