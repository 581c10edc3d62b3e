package io.sandboxspi.tck.rules;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sandboxspi.Command;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExecResult;
import io.sandboxspi.ExitStatus;
import io.sandboxspi.PtyUpdate;
import io.sandboxspi.Ptys;
import io.sandboxspi.RunningCommand;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.YieldOptions;
import io.sandboxspi.tck.Rule;
import io.sandboxspi.tck.Scenario;
import io.sandboxspi.tck.fault.FaultPoint;
import io.sandboxspi.tck.fault.Gate;
import io.sandboxspi.tck.kit.Caller;
import io.sandboxspi.tck.kit.Expect;
import io.sandboxspi.tck.kit.TckKit;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every byte once, whole characters, nothing lost at the end. */
public interface OutputRules extends KitAccess {
  /** Short commands keep their output, one by one and together. */
  @Test
  @Rule("S-OUT-05")
  @Scenario("B04")
  default void S_OUT_05_shortCommandsKeepTheirOutput() throws Exception {
    SandboxSession session = kit().session();
    for (int i = 0; i < 50; i++) {
      ExecResult result = session.exec(Command.shell("echo marker-" + i));
      Expect.same("S-OUT-05", "marker-" + i + "\n", result.stdout().text(), "command " + i);
    }
    List<Caller<String>> callers = new ArrayList<>();
    for (int thread = 0; thread < 8; thread++) {
      int first = thread * 10;
      callers.add(
          kit()
              .call(
                  () -> {
                    StringBuilder all = new StringBuilder();
                    for (int i = first; i < first + 10; i++) {
                      all.append(session.exec(Command.shell("echo marker-" + i)).stdout().text());
                    }
                    return all.toString();
                  }));
    }
    for (int thread = 0; thread < 8; thread++) {
      String expected =
          IntStream.range(thread * 10, thread * 10 + 10)
              .mapToObj(i -> "marker-" + i + "\n")
              .collect(Collectors.joining());
      String seen =
          callers.get(thread).returnsWithin("S-OUT-05", Duration.ofSeconds(60)).value("S-OUT-05");
      Expect.same("S-OUT-05", expected, seen, "thread " + thread);
    }
  }

  /** The exit comes before the output: the result waits for both. */
  @Test
  @Rule({"S-EXIT-02", "S-OUT-05"})
  @Scenario("R22")
  default void S_EXIT_02_outputThatComesAfterTheExitIsInTheResult() throws Exception {
    Gate gate = kit().at(FaultPoint.OUT_CHUNK).tag("a").hold();
    Gate second = kit().at(FaultPoint.OUT_CHUNK).tag("b").hold();
    SandboxSession session = kit().session();
    String text = "head -c 65536 /dev/zero | tr '\\0' x";
    Caller<PtyUpdate> start = kit().call(() -> session.ptys().start(kit().pty("a", text)));
    Expect.that("S-EXIT-02", kit().log().await(FaultPoint.EXIT, "a", 1, kit().bound()), "it exits");
    kit().pass(Duration.ofMillis(200));
    gate.open();
    PtyUpdate update = start.returnsWithin("S-EXIT-02", kit().bound()).value("S-EXIT-02");
    String output = update.output();
    if (update.running()) {
      PtyUpdate rest = session.ptys().poll(update.id());
      output += rest.output();
      update = rest;
    }
    Expect.same("S-OUT-05", 65_536, output.length(), "characters of a PTY");
    Expect.that("S-OUT-05", !update.outputIncomplete(), "the output is complete");
    Expect.same("S-EXIT-02", 0, update.exitCode().orElse(-1), "exit code");

    Caller<ExecResult> exec = kit().call(() -> session.exec(kit().shell("b", text)));
    Expect.that("S-EXIT-02", kit().log().await(FaultPoint.EXIT, "b", 1, kit().bound()), "it exits");
    kit().pass(Duration.ofMillis(200));
    second.open();
    ExecResult result = exec.returnsWithin("S-EXIT-02", kit().bound()).value("S-EXIT-02");
    Expect.same("S-OUT-05", 65_536L, result.stdout().totalBytes(), "bytes of a command");
    Expect.that("S-OUT-05", !result.outputIncomplete(), "the output is complete");
  }

  /** Output that never ends is waited for within the drain bound, and flagged. */
  @Test
  @Rule({"S-EXIT-02", "S-EXEC-07"})
  @Scenario("R22")
  default void S_EXIT_02_outputThatNeverEndsIsBoundedAndFlagged() throws Exception {
    Gate first = kit().at(FaultPoint.OUT_CLOSED).tag("a").hold();
    Gate second = kit().at(FaultPoint.OUT_CLOSED).tag("b").hold();
    SandboxSession session = kit().session();
    Caller<PtyUpdate> start =
        kit().call(() -> session.ptys().start(kit().pty("a", "sleep 0.3; echo x; exit 3")));
    PtyUpdate update =
        start.returnsWithin("S-EXIT-02", kit().bound().plus(kit().drainBound())).value("S-EXIT-02");
    String output = update.output();
    if (update.running()) {
      int id = update.id();
      Caller<PtyUpdate> poll = kit().call(() -> session.ptys().poll(id));
      update =
          poll.returnsWithin("S-EXIT-02", kit().bound().plus(kit().drainBound()))
              .value("S-EXIT-02");
      output += update.output();
    }
    Expect.that("S-EXIT-02", !update.running(), "the update is final");
    Expect.same("S-EXIT-02", "x\n", output, "output");
    Expect.same("S-EXIT-02", 3, update.exitCode().orElse(-1), "exit code");
    Expect.that("S-EXEC-07", update.outputIncomplete(), "a PTY's update is flagged");
    Caller<ExecResult> exec = kit().call(() -> session.exec(kit().shell("b", "echo x")));
    ExecResult result =
        exec.returnsWithin("S-EXEC-07", kit().bound().plus(kit().drainBound())).value("S-EXEC-07");
    Expect.that("S-EXEC-07", result.outputIncomplete(), "a command's result is flagged");
    first.open();
    second.open();
  }

  /** Each byte once, in order, over a start and polls. */
  @Test
  @Rule("S-OUT-01")
  default void S_OUT_01_eachByteIsDeliveredOnceAndInOrder() throws Exception {
    Ptys ptys = kit().ptys();
    String text = "for i in 1 2 3 4 5 6 7 8; do seq ${i}0001 ${i}2000; sleep 0.2; done; exit 9";
    PtyUpdate update =
        ptys.start(kit().pty("a", text).collect(YieldOptions.forStart().window(Duration.ZERO)));
    StringBuilder all = new StringBuilder(update.output());
    int calls = 1;
    while (update.running() && calls < 40) {
      update = ptys.poll(update.id(), YieldOptions.forPoll().quietAfter(Duration.ofMillis(50)));
      Expect.same("S-OUT-01", 0L, update.droppedBytes(), "dropped bytes");
      all.append(update.output());
      calls++;
    }
    String expected =
        IntStream.rangeClosed(1, 8)
            .mapToObj(
                i ->
                    IntStream.rangeClosed(i * 10_000 + 1, i * 10_000 + 2000)
                        .mapToObj(n -> n + "\n")
                        .collect(Collectors.joining()))
            .collect(Collectors.joining());
    Expect.same("S-OUT-01", expected, all.toString(), "all output");
    Expect.that("S-OUT-01", calls > 1, "the output came in several updates");
  }

  /** A character cut between two updates comes out whole. */
  @ParameterizedTest
  @CsvSource({"é,1", "€,1", "€,2", "😀,1", "😀,2", "😀,3"})
  @Rule("S-OUT-02")
  @Scenario({"R23", "B19"})
  default void S_OUT_02_aCharacterCutByAnUpdateComesOutWhole(String character, int cut)
      throws Exception {
    Gate gate = kit().at(FaultPoint.OUT_CHUNK).tag("a").cut(1 + cut);
    Ptys ptys = kit().ptys();
    StringBuilder octal = new StringBuilder();
    for (byte b : character.getBytes(UTF_8)) {
      octal.append(String.format("\\%03o", b & 0xff));
    }
    PtyUpdate first = ptys.start(kit().pty("a", "printf 'A" + octal + "Z'; exec sleep 60"));
    Expect.same("S-OUT-02", "A", first.output(), "the update before the cut");
    gate.open();
    PtyUpdate second = ptys.poll(first.id(), TckKit.quick(YieldOptions.forPoll()));
    Expect.same("S-OUT-02", character + "Z", second.output(), "the update after the cut");
  }

  /** What can never become a character is shown at once. */
  @ParameterizedTest
  @ValueSource(strings = {"\\340\\200", "\\355\\240", "\\360\\200", "\\364\\220", "\\200", "\\377"})
  @Rule("S-OUT-02")
  @Scenario("R23")
  default void S_OUT_02_malformedBytesBecomeMarksAtOnce(String octal) throws Exception {
    Ptys ptys = kit().ptys();
    PtyUpdate update = ptys.start(kit().pty("a", "printf 'x" + octal + "'; exec sleep 60"));
    Expect.that(
        "S-OUT-02",
        update.running() && update.output().matches("x\uFFFD+"),
        "the update has %s",
        update.output());
  }

  /** A character that stays incomplete is a mark in the end. */
  @Test
  @Rule("S-OUT-02")
  @Scenario({"R23", "B19"})
  default void S_OUT_02_anIncompleteCharacterIsAMarkAtTheEnd() throws Exception {
    Ptys ptys = kit().ptys();
    PtyUpdate update = ptys.start(kit().pty("a", "printf 'x\\342\\202'; sleep 0.5"));
    String all = update.output();
    if (update.running()) {
      all += ptys.poll(update.id()).output();
    }
    Expect.that("S-OUT-02", all.matches("x\uFFFD+"), "the output is %s", all);
  }

  /** Streams are as long as they like, and a slow reader slows the command. */
  @Test
  @Rule("S-EXEC-10")
  default void S_EXEC_10_aSlowReaderSlowsTheCommandAndLosesNothing() throws Exception {
    SandboxSession session = kit().session();
    int size = 24_000_000;
    Command command =
        kit().shell("a", "head -c " + size + " /dev/zero; echo x > finished").streaming();
    try (RunningCommand running = session.start(command)) {
      kit().pass(Duration.ofMillis(1000));
      Expect.code("S-EXEC-10", ErrorCode.FILE_NOT_FOUND, () -> session.files().stat("finished"));
      InputStream out = running.stdout();
      Caller<Long> reader =
          kit()
              .call(
                  () -> {
                    byte[] buffer = new byte[65_536];
                    long read = 0;
                    for (int n = out.read(buffer); n >= 0; n = out.read(buffer)) {
                      read += n;
                    }
                    return read;
                  });
      long read = reader.returnsWithin("S-EXEC-10", Duration.ofSeconds(60)).value("S-EXEC-10");
      Expect.same("S-EXEC-10", (long) size, read, "bytes read");
      ExecResult result =
          running.await(kit().bound()).orElseThrow(() -> new AssertionError("it runs on"));
      Expect.same("S-EXEC-10", new ExitStatus.Exited(0), result.status(), "status");
    }
  }
}
