package io.sandboxspi.cli;

import io.sandboxspi.CleanupTimings;
import io.sandboxspi.Command;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExecResult;
import io.sandboxspi.PtyRequest;
import io.sandboxspi.PtyUpdate;
import io.sandboxspi.Ptys;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.SandboxSpec;
import io.sandboxspi.YieldOptions;
import io.sandboxspi.core.Sandboxes;
import io.sandboxspi.tck.fault.CallLog;
import io.sandboxspi.tck.fault.FaultPlan;
import io.sandboxspi.tck.fault.FaultPoint;
import io.sandboxspi.tck.fault.FaultyProvider;
import io.sandboxspi.tck.fault.Gate;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** The steps of the demo: real processes of the local provider, one fault. */
final class DemoTour {
  private static final int BATCH = 64;
  private static final String STALLED = "stalled";
  private static final CleanupTimings TIMINGS =
      new CleanupTimings(
          Duration.ofSeconds(2),
          Duration.ofMillis(500),
          Duration.ofSeconds(1),
          Duration.ofSeconds(10));

  /** The kill and join bounds, and time for a slow machine. */
  private static final Duration BOUND = TIMINGS.kill().plus(TIMINGS.join()).plusSeconds(3);

  private static final YieldOptions SOON =
      YieldOptions.forStart().window(Duration.ofSeconds(5)).quietAfter(Duration.ofMillis(30));
  private static final YieldOptions CALM =
      YieldOptions.forWrite().window(Duration.ofSeconds(5)).quietAfter(Duration.ofMillis(300));

  /** What happened. */
  record Step(String name, String expected, String seen, Duration took) {
    boolean asExpected() {
      return seen.equals(expected);
    }
  }

  private interface Action {
    String run() throws InterruptedException;
  }

  private final Consumer<Step> listener;
  private final FaultPlan plan = new FaultPlan();
  private final Gate stall = plan.at(FaultPoint.KILL_BEFORE).tag(STALLED).always().stuck();
  private final List<Long> processes = new ArrayList<>();
  private Path workspace = Path.of("/nonexistent");

  DemoTour(Consumer<Step> listener) {
    this.listener = listener;
  }

  void run() throws InterruptedException {
    FaultyProvider provider = new FaultyProvider(Sandboxes.provider("local"), plan, new CallLog());
    SandboxSpec spec = SandboxSpec.builder().timings(TIMINGS).build();
    try (SandboxSession sandbox = Sandboxes.open(provider, spec)) {
      try {
        commands(sandbox);
        dialogue(sandbox.ptys());
        batch(sandbox);
      } finally {
        stall.open();
      }
    }
    step(
        "close the sandbox",
        "0 alive, no workspace",
        () -> alive() + " alive, " + (Files.exists(workspace) ? "a workspace" : "no workspace"));
  }

  private void commands(SandboxSession sandbox) throws InterruptedException {
    workspace = Path.of(sandbox.exec(Command.of("pwd", "-P")).stdout().text().strip());
    step(
        "run: echo $((6*7)); exit 3",
        "42, exit code 3",
        () -> {
          ExecResult result = sandbox.exec(Command.shell("echo $((6*7)); exit 3"));
          return result.stdout().text().strip() + ", exit code " + result.code().orElse(-1);
        });
    step(
        "run for 1 s: sleep 60 & sleep 61",
        "EXEC_TIMEOUT, 0 alive",
        () -> {
          try {
            ExecResult result =
                sandbox.exec(
                    Command.shell("sleep 60 & echo $!; sleep 61").timeout(Duration.ofSeconds(1)));
            return "it ended: " + result.status();
          } catch (SandboxException failure) {
            failure.partialResult().ifPresent(partial -> remember(partial.stdout().text()));
            return failure.code() + ", " + alive() + " alive";
          }
        });
  }

  private void dialogue(Ptys ptys) throws InterruptedException {
    PtyUpdate shell = ptys.start(PtyRequest.of("sh", "-i").collect(SOON));
    step(
        "type into sh: stty size",
        "24 80",
        () -> find(ptys.write(shell.id(), "stty size\n", CALM), "24 80"));
    step(
        "type: sleep 1000, ^C, echo $((40+2))",
        "42",
        () -> {
          ptys.write(shell.id(), "sleep 1000\n");
          ptys.write(shell.id(), "\u0003");
          return find(ptys.write(shell.id(), "echo $((40+2))\n", CALM), "42");
        });
    step(
        "type: exit 5",
        "ended, exit code 5",
        () -> {
          PtyUpdate end = ptys.write(shell.id(), "exit 5\n", YieldOptions.forStart());
          return (end.running() ? "running" : "ended") + ", exit code " + end.exitCode().orElse(-1);
        });
  }

  private void batch(SandboxSession sandbox) throws InterruptedException {
    Ptys ptys = sandbox.ptys();
    processes.clear();
    step(
        "start " + BATCH + " PTYs",
        BATCH + " listed, " + BATCH + " alive",
        () -> {
          for (int i = 0; i < BATCH; i++) {
            // Deaf to the hang-up that comes when the terminal is let go of
            PtyRequest request =
                PtyRequest.shell("trap '' HUP; echo $$; exec sleep 1000").collect(SOON);
            boolean last = i == BATCH / 2;
            remember(
                ptys.start(last ? request.env(FaultyProvider.TAG, STALLED) : request).output());
          }
          return ptys.list().size() + " listed, " + alive() + " alive";
        });
    step(
        "end all; the kill of one hangs for ever",
        "unconfirmed in time, 1 alive",
        () -> timed(() -> outcome(ptys)) + ", " + alive() + " alive");
    step(
        "the hang is lifted; end all again",
        "ended in time, 0 alive",
        () -> {
          stall.open();
          return timed(() -> outcome(ptys)) + ", " + alive() + " alive";
        });
  }

  private static String outcome(Ptys ptys) throws InterruptedException {
    try {
      ptys.terminateAll();
      return "ended";
    } catch (SandboxException failure) {
      return failure.code() == ErrorCode.TERMINATION_UNCONFIRMED
          ? "unconfirmed"
          : failure.toString();
    }
  }

  private static String timed(Action action) throws InterruptedException {
    long start = System.nanoTime();
    String seen = action.run();
    Duration took = Duration.ofNanos(System.nanoTime() - start);
    return seen + (took.compareTo(BOUND) <= 0 ? " in time" : " too late");
  }

  private static String find(PtyUpdate update, String wanted) {
    return update.output().lines().map(String::strip).anyMatch(wanted::equals)
        ? wanted
        : update.output();
  }

  private void remember(String pids) {
    pids.lines().map(String::strip).map(Long::parseLong).forEach(processes::add);
  }

  private long alive() {
    return processes.stream().filter(DemoTour::lives).count();
  }

  /** A process that is dead but not yet collected by its parent has no command line. */
  private static boolean lives(long pid) {
    return ProcessHandle.of(pid)
        .filter(process -> process.info().commandLine().isPresent())
        .isPresent();
  }

  private void step(String name, String expected, Action action) throws InterruptedException {
    long start = System.nanoTime();
    String seen;
    try {
      seen = action.run();
    } catch (RuntimeException failure) {
      seen = failure.toString();
    }
    listener.accept(new Step(name, expected, seen, Duration.ofNanos(System.nanoTime() - start)));
  }
}
