package io.sandboxspi.local.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sandboxspi.local.driver.DriverListener;
import io.sandboxspi.local.driver.DriverProcess;
import io.sandboxspi.local.driver.PtyDriver;
import io.sandboxspi.local.driver.PtyDrivers;
import io.sandboxspi.local.driver.SpawnRequest;
import io.sandboxspi.local.driver.WindowSize;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@EnabledOnOs(OS.LINUX)
class ProcessSweepTest {
  /** Makes the sleeps of this run different from those of any other. */
  private static final String RUN = Integer.toString(100 + new Random().nextInt(900));

  private static final Path LAST_NUMBER = Path.of("/proc/sys/kernel/ns_last_pid");

  private final PtyDriver driver = PtyDrivers.open();
  private final List<Started> started = new ArrayList<>();

  /** A tree whose leader has printed "ready". */
  private record Started(
      String cookie, DriverProcess process, CompletableFuture<String> ready, long startedAt) {
    Target target() {
      return new Target(cookie, Optional.of(process), startedAt);
    }

    Target unknown() {
      return Target.unknown(cookie);
    }
  }

  @AfterEach
  void release() throws Exception {
    List<Target> targets = started.stream().map(Started::target).toList();
    ProcessSweep.killAll(targets, in(5));
    started.forEach(tree -> tree.process().release());
    driver.close();
  }

  private Started start(String script) throws Exception {
    return start(script, true);
  }

  private Started start(String script, boolean terminal) throws Exception {
    return startUnique(script.replaceAll("sleep 70", "sleep " + RUN + "70"), terminal);
  }

  private Started startUnique(String script, boolean terminal) throws Exception {
    String cookie = UUID.randomUUID().toString();
    CompletableFuture<String> ready = new CompletableFuture<>();
    StringBuilder output = new StringBuilder();
    DriverListener listener =
        new DriverListener() {
          @Override
          public boolean onOutput(int stream, ByteBuffer bytes) {
            output.append(StandardCharsets.UTF_8.decode(bytes));
            if (output.indexOf("ready") >= 0) {
              ready.complete(output.toString());
            }
            return true;
          }

          @Override
          public void onOutputClosed() {}

          @Override
          public void onExit(int code, int signal) {}

          @Override
          public void onExitUnknown(String cause) {}
        };
    SpawnRequest request =
        new SpawnRequest(
            List.of("sh", "-c", script),
            Map.of("PATH", "/usr/bin:/bin", ProcessSweep.VARIABLE, cookie),
            "/",
            terminal ? Optional.of(new WindowSize(80, 24)) : Optional.empty(),
            false);
    long now = System.nanoTime();
    Started tree = new Started(cookie, driver.spawn(request, listener), ready, now);
    started.add(tree);
    ready.get(10, TimeUnit.SECONDS);
    return tree;
  }

  private static long in(int seconds) {
    return System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
  }

  private static Outcome.Kind kill(Target target) throws Exception {
    return ProcessSweep.killAll(List.of(target), in(5)).get(target.cookie()).kind();
  }

  /** Ids of processes that run {@code sleep} for this many seconds. */
  private static List<Integer> sleepers(int seconds) {
    ProcFiles files = new ProcFiles();
    List<Integer> found = new ArrayList<>();
    for (int pid : files.pids()) {
      Path command = Path.of("/proc", Integer.toString(pid), "cmdline");
      try {
        if (Files.readString(command).equals("sleep\0" + RUN + seconds + "\0")) {
          found.add(pid);
        }
      } catch (java.io.IOException gone) {
        assertThat(gone).isNotNull();
      }
    }
    return found;
  }

  private static void awaitSleepers(int seconds) {
    for (long deadline = in(10); sleepers(seconds).isEmpty(); Thread.yield()) {
      assertThat(System.nanoTime()).isLessThan(deadline);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "echo ready; sleep 7001",
        "sleep 7001 & echo ready; sleep 7001",
        "trap '' HUP TERM INT; echo ready; while :; do sleep 7001; done",
        "setsid sleep 7001 & sleep 0.1; echo ready; sleep 7001",
        "nohup sleep 7001 >/dev/null 2>&1 & echo ready; sleep 7001",
        "(setsid sh -c 'sleep 7001 & sleep 7001' &) ; sleep 0.1; echo ready; sleep 7001",
        "setsid sh -c '(setsid sleep 7001 &) ; sleep 7001' & sleep 0.1; echo ready; sleep 7001",
        "env -i sleep 7001 & sleep 0.1; echo ready; sleep 7001",
        "env -i setsid sleep 7001 & sleep 0.1; echo ready; sleep 7001",
      })
  void nothingOfATreeSurvives(String script) throws Exception {
    for (boolean terminal : new boolean[] {true, false}) {
      Started tree = start(script, terminal);
      awaitSleepers(7001);
      assertThat(kill(tree.target())).isEqualTo(Outcome.Kind.CONFIRMED);
      assertThat(sleepers(7001)).isEmpty();
      assertThat(kill(tree.target())).isEqualTo(Outcome.Kind.ALREADY_GONE);
    }
  }

  @Test
  void descendantsOfAnEndedLeaderAreKilled() throws Exception {
    Started tree = start("(setsid sleep 7002 &); trap '' HUP; sleep 7002 & echo ready", false);
    while (!tree.process().exited()) {
      Thread.onSpinWait();
    }
    awaitSleepers(7002);
    assertThat(kill(tree.target())).isEqualTo(Outcome.Kind.CONFIRMED);
    assertThat(sleepers(7002)).isEmpty();
  }

  @Test
  void aTreeWithoutItsHandleIsFoundByItsCookie() throws Exception {
    Started tree = start("setsid sleep 7003 & echo ready; sleep 7003");
    assertThat(kill(tree.unknown())).isEqualTo(Outcome.Kind.CONFIRMED);
    assertThat(sleepers(7003)).isEmpty();
    assertThat(kill(tree.unknown())).isEqualTo(Outcome.Kind.ALREADY_GONE);
  }

  @Test
  void aReleasedTreeIsFoundByItsCookie() throws Exception {
    Started tree = start("setsid sleep 7004 & trap '' HUP; echo ready; sleep 7004");
    tree.process().release();
    assertThat(kill(tree.target())).isEqualTo(Outcome.Kind.CONFIRMED);
    assertThat(sleepers(7004)).isEmpty();
  }

  @Test
  void otherTreesAreLeftAlone() throws Exception {
    Started victim = start("echo ready; sleep 7005");
    Started other = start("setsid sleep 7006 & sleep 0.1; echo ready; sleep 7006");
    assertThat(kill(victim.target())).isEqualTo(Outcome.Kind.CONFIRMED);
    assertThat(sleepers(7006)).isNotEmpty();
    assertThat(other.process().exited()).isFalse();
  }

  @Test
  void manyTreesAreEndedTogether() throws Exception {
    List<Started> trees = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      trees.add(start("(setsid sleep 7007 &); echo ready; sleep 7007"));
    }
    Map<String, Outcome> outcomes =
        ProcessSweep.killAll(trees.stream().map(Started::target).toList(), in(10));
    assertThat(outcomes).hasSize(64);
    assertThat(outcomes.values()).allMatch(o -> o.kind() == Outcome.Kind.CONFIRMED);
    assertThat(sleepers(7007)).isEmpty();
  }

  @Test
  void treesOnBothSidesOfTheHighestNumberAreEndedTogether() throws Exception {
    assumeTrue(
        System.getProperty("user.name").equals("root") && Files.isWritable(LAST_NUMBER),
        "needs root, and a kernel that it may set");
    int highest = new ProcFiles().maxPid();
    nextNumber(highest - 200);
    Started old = start("(setsid sleep 7011 &) ; echo ready; sleep 7011");
    awaitSleepers(7011);
    nextNumber(highest);
    Started young = start("echo ready; sleep 7012");
    assertThat(old.process().pid()).isGreaterThan(young.process().pid());
    Map<String, Outcome> outcomes =
        ProcessSweep.killAll(List.of(old.target(), young.target()), in(5));
    assertThat(outcomes.values()).allMatch(o -> o.kind() == Outcome.Kind.CONFIRMED);
    assertThat(sleepers(7011)).isEmpty();
  }

  /** The kernel goes on from here. */
  private static void nextNumber(int number) throws Exception {
    String line = "echo " + (number - 1) + " >" + LAST_NUMBER;
    assertThat(new ProcessBuilder("sh", "-c", line).start().waitFor()).isZero();
  }

  @Test
  void aTreeThatKeepsForkingEnds() throws Exception {
    Started tree = start("echo ready; while :; do setsid sleep 7008 & sleep 0.005; done");
    assertThat(kill(tree.target())).isEqualTo(Outcome.Kind.CONFIRMED);
    assertThat(sleepers(7008)).isEmpty();
  }

  @Test
  void aPassedDeadlineStillSignalsAndTellsTheTruth() throws Exception {
    Started tree = start("echo ready; sleep 7009");
    Outcome outcome =
        ProcessSweep.killAll(List.of(tree.target()), System.nanoTime()).get(tree.cookie());
    if (outcome.kind() == Outcome.Kind.UNCONFIRMED) {
      assertThat(outcome.survivors()).isNotEmpty();
    }
    kill(tree.target());
    assertThat(sleepers(7009)).isEmpty();
  }

  @Test
  void anInterruptEndsTheSweep() throws Exception {
    Started tree = start("echo ready; sleep 7010");
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> kill(tree.target())).isInstanceOf(InterruptedException.class);
    assertThat(Thread.interrupted()).isFalse();
  }
}
