package io.sandboxspi.tck.rules;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sandboxspi.Capability;
import io.sandboxspi.Command;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExecResult;
import io.sandboxspi.ExitStatus;
import io.sandboxspi.PtyUpdate;
import io.sandboxspi.RunningCommand;
import io.sandboxspi.Stdin;
import io.sandboxspi.tck.Rule;
import io.sandboxspi.tck.Scenario;
import io.sandboxspi.tck.kit.Caller;
import io.sandboxspi.tck.kit.Expect;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** What a command reads. */
public interface InputRules extends KitAccess {
  /** Readers of stdin do not hang. */
  @Test
  @Rule("S-EXEC-03")
  @Scenario({"B29", "B27"})
  default void S_EXEC_03_noInputIsEndOfFileAtOnce() throws Exception {
    var session = kit().session();
    Command reader = Command.shell("cat; read x; echo rc=$?");
    Caller<ExecResult> exec = kit().call(() -> session.exec(reader));
    ExecResult result = exec.returnsWithin("S-EXEC-03", kit().bound()).value("S-EXEC-03");
    Expect.same("S-EXEC-03", "rc=1\n", result.stdout().text(), "a command in the foreground");

    try (RunningCommand background = session.start(reader)) {
      ExecResult later =
          background
              .await(kit().bound())
              .orElseThrow(() -> new AssertionError("cat waits for input"));
      Expect.same("S-EXEC-03", "rc=1\n", later.stdout().text(), "one in the background");
    }

    PtyUpdate update = session.ptys().start(kit().pty("pipes", "cat; read x; echo rc=$?; exit 5"));
    if (update.running()) {
      PtyUpdate more = session.ptys().poll(update.id());
      Expect.that("S-EXEC-03", !more.running(), "a process without a terminal waits for input");
      Expect.same("S-EXEC-03", "rc=1\n", update.output() + more.output(), "one with an id");
    }

    for (int i = 0; i < 15; i++) {
      Command empty = Command.of("cat").stdin(Stdin.bytes(new byte[0]));
      Caller<ExecResult> cat = kit().call(() -> session.exec(empty));
      ExecResult seen = cat.returnsWithin("S-EXEC-03", kit().bound()).value("S-EXEC-03");
      Expect.same("S-EXEC-03", new ExitStatus.Exited(0), seen.status(), "cat of nothing");
    }
  }

  /** Given bytes arrive whole, then the end. */
  @Test
  @Rule("S-EXEC-03")
  default void S_EXEC_03_givenBytesArriveWholeThenEnd() throws Exception {
    byte[] input = new byte[300_000];
    for (int i = 0; i < input.length; i++) {
      input[i] = (byte) (i * 31 + i / 251);
    }
    var session = kit().session();
    Caller<ExecResult> cat =
        kit().call(() -> session.exec(Command.of("cat").stdin(Stdin.bytes(input))));
    ExecResult result = cat.returnsWithin("S-EXEC-03", Duration.ofSeconds(30)).value("S-EXEC-03");
    Expect.that("S-EXEC-03", Arrays.equals(input, result.stdout().bytes()), "cat gave other bytes");
    // A reader that leaves early is no error.
    Caller<ExecResult> head =
        kit()
            .call(() -> session.exec(Command.shell("head -c 3; exit 6").stdin(Stdin.bytes(input))));
    ExecResult cut = head.returnsWithin("S-EXEC-03", Duration.ofSeconds(30)).value("S-EXEC-03");
    Expect.same("S-EXEC-03", new ExitStatus.Exited(6), cut.status(), "status of an early leaver");
  }

  /** A pipe ends when its caller closes it. */
  @Test
  @Rule("S-EXEC-03")
  default void S_EXEC_03_aPipeEndsWhenItsCallerClosesIt() throws Exception {
    kit().need(Capability.STDIN_AFTER_START);
    var session = kit().session();
    Command command = kit().shell("a", "read line; echo got $line; cat; exit 7");
    try (RunningCommand running = session.start(command.stdin(Stdin.pipe()))) {
      running.stdin().write("one\n".getBytes(UTF_8));
      running.stdin().flush();
      Expect.that(
          "S-EXEC-03",
          running.await(Duration.ofMillis(500)).isEmpty(),
          "an open pipe does not end the command");
      running.stdin().write("two\n".getBytes(UTF_8));
      running.stdin().close();
      ExecResult result =
          running.await(kit().bound()).orElseThrow(() -> new AssertionError("the pipe is open"));
      Expect.same("S-EXEC-03", "got one\ntwo\n", result.stdout().text(), "what was read");
      Expect.same("S-EXEC-03", new ExitStatus.Exited(7), result.status(), "status");
    }
    Expect.code(
        "S-EXEC-03",
        ErrorCode.INVALID_ARGUMENT,
        () -> session.exec(Command.of("cat").stdin(Stdin.pipe())));
  }
}
