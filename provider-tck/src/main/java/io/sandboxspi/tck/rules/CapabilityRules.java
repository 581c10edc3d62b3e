package io.sandboxspi.tck.rules;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sandboxspi.Capability;
import io.sandboxspi.Command;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExecResult;
import io.sandboxspi.ExitStatus;
import io.sandboxspi.Manifest;
import io.sandboxspi.PtyUpdate;
import io.sandboxspi.RunningCommand;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.Signal;
import io.sandboxspi.Stdin;
import io.sandboxspi.TerminalSize;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.ListedBackend;
import io.sandboxspi.spi.Liveness;
import io.sandboxspi.spi.SandboxBackend;
import io.sandboxspi.tck.Rule;
import io.sandboxspi.tck.fault.FaultPoint;
import io.sandboxspi.tck.fault.Gate;
import io.sandboxspi.tck.kit.Caller;
import io.sandboxspi.tck.kit.Expect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Capabilities, measured both ways. */
public interface CapabilityRules extends KitAccess {
  /** What is declared works. */
  @ParameterizedTest
  @EnumSource(Capability.class)
  @Rule("S-CAP-01")
  default void S_CAP_01_aDeclaredCapabilityWorks(Capability capability) throws Exception {
    kit().need(capability);
    SandboxSession session = kit().session();
    switch (capability) {
      case TTY -> {
        ExecResult result =
            session.exec(
                Command.shell("test -t 0 && test -t 1 && tty && echo yes > /dev/tty")
                    .terminal(TerminalSize.DEFAULT));
        Expect.that(
            "S-CAP-01",
            result.successful() && result.stdout().text().contains("yes"),
            "no terminal: %s",
            result.stdout().text());
      }
      case STDIN_AFTER_START -> {
        try (RunningCommand cat = session.start(Command.of("cat").stdin(Stdin.pipe()))) {
          cat.stdin().write("later".getBytes(UTF_8));
          cat.stdin().close();
          Expect.same("S-CAP-01", "later", cat.await().stdout().text(), "input after the start");
        }
      }
      case EXIT_CODE_RELIABLE -> {
        for (int code : new int[] {0, 1, 42, 255}) {
          Expect.same(
              "S-CAP-01",
              new ExitStatus.Exited(code),
              session.exec(Command.shell("exit " + code)).status(),
              "status");
        }
      }
      case SEPARATE_STDERR -> {
        ExecResult result = session.exec(Command.shell("echo o; echo e >&2"));
        Expect.same("S-CAP-01", "o\n", result.stdout().text(), "standard output");
        Expect.same("S-CAP-01", "e\n", result.stderr().text(), "standard error");
      }
      case RESIZE -> {
        PtyUpdate start =
            session
                .ptys()
                .start(
                    kit().terminal("a", "echo up; until [ -e go ]; do sleep 0.1; done; stty size"));
        session.ptys().resize(start.id(), new TerminalSize(99, 33));
        session.files().write("go", new byte[0]);
        PtyUpdate end = session.ptys().poll(start.id());
        Expect.that("S-CAP-01", end.output().contains("33 99"), "size: %s", end.output());
      }
      case SIGNALS -> {
        try (RunningCommand command =
            session.start(
                kit()
                    .shell(
                        "a",
                        "trap 'echo x > got; exit 7' USR2; echo x > up;"
                            + " while :; do sleep 0.1; done"))) {
          kit()
              .eventually(
                  "S-CAP-01",
                  "the command is up",
                  () -> session.exec(Command.of("test", "-e", "up")).successful());
          command.signal(Signal.USR2);
          ExecResult result =
              command.await(kit().bound()).orElseThrow(() -> new AssertionError("no signal came"));
          Expect.same("S-CAP-01", new ExitStatus.Exited(7), result.status(), "status");
        }
      }
      case KILL_GROUP -> group("");
      case KILL_ESCAPED -> group("setsid");
      case CLIENT_CHOSEN_ID -> {
        Gate gate = kit().at(FaultPoint.OPEN_RETURN).tag("a").stuck();
        Caller<RunningCommand> start =
            kit()
                .call(
                    () ->
                        session.start(
                            kit()
                                .shell("a", kit().beating("a"))
                                .openTimeout(Duration.ofMillis(700))));
        Throwable thrown = start.returnsWithin("S-CAP-01", kit().bound()).failed("S-CAP-01");
        Expect.code("S-CAP-01", ErrorCode.OPEN_TIMEOUT, thrown);
        kit().dead("S-CAP-01", "a");
        gate.open();
      }
      case REATTACH -> {
        session.files().write("f", "kept".getBytes(UTF_8));
        SandboxBackend again = kit().provider().delegate().attach(session.backend(), soon());
        try {
          Expect.same("S-CAP-01", Liveness.RUNNING, again.probe(soon()), "an attached backend");
          byte[] kept = again.files().open("f", soon()).readAllBytes();
          Expect.same("S-CAP-01", "kept", new String(kept, UTF_8), "its file");
        } finally {
          Object unused = again.release(soon());
        }
      }
      case LIST -> {
        List<ListedBackend> all = kit().provider().delegate().list(kit().providerOptions(), soon());
        Expect.that(
            "S-CAP-01",
            all.stream().anyMatch(listed -> listed.sessionId().equals(session.id())),
            "the session's backend is not in the list");
      }
      case CONFINED -> {
        Path secret = Files.createTempFile("sandbox-tck-host", ".txt");
        try {
          Files.writeString(secret, "host");
          ExecResult result = session.exec(Command.of("cat", secret.toString()));
          Expect.that("S-CAP-01", !result.successful(), "a file of the host can be read");
          ExecResult hidden =
              session.exec(Command.of("kill", "-0", "" + ProcessHandle.current().pid()));
          Expect.that("S-CAP-01", !hidden.successful(), "a process of the host is seen");
        } finally {
          Files.delete(secret);
        }
      }
      case PORTS -> {
        for (int port : kit().backend().ports()) {
          Expect.that("S-CAP-01", session.endpoint(port).port() > 0, "where port %s is", port);
        }
        Expect.code("S-CAP-01", ErrorCode.PORT_NOT_CONFIGURED, () -> session.endpoint(1));
      }
      case NATIVE_SNAPSHOTS ->
          Expect.that(
              "S-CAP-01",
              kit().provider().nativeSnapshots().isPresent(),
              "the provider has its own snapshots");
      case USERS -> {
        Command command = Command.of("id", "-un").user("tck-user");
        if (session.capabilities().contains(capability)) {
          Manifest manifest = Manifest.builder().user("tck-user").build();
          SandboxSession other = kit().open(spec -> spec.manifest(manifest));
          Expect.same("S-CAP-01", "tck-user\n", other.exec(command).stdout().text(), "user");
        } else {
          Expect.code("S-CAP-01", ErrorCode.UNSUPPORTED, () -> session.exec(command));
        }
      }
    }
  }

  private void group(String how) throws Exception {
    SandboxSession session = kit().session();
    String text =
        how + " sh -c \"" + kit().beating("a") + "\" > /dev/null 2>&1 & echo up; sleep 60";
    PtyUpdate start = session.ptys().start(kit().pty("a", text));
    kit().awaitBeat("a");
    Object unused = session.ptys().terminate(start.id());
    kit().dead("S-CAP-01", "a");
  }

  private Deadline soon() {
    return Deadline.after(kit().bound());
  }

  /** What is not declared is refused, where it can be asked for. */
  @ParameterizedTest
  @EnumSource(Capability.class)
  @Rule("S-CAP-02")
  default void S_CAP_02_anUndeclaredCapabilityIsRefused(Capability capability) throws Exception {
    Assumptions.assumeFalse(
        kit().has(capability), () -> "capability " + capability + " is declared");
    SandboxSession session = kit().session();
    switch (capability) {
      case TTY -> {
        Expect.code(
            "S-CAP-02",
            ErrorCode.UNSUPPORTED,
            () -> session.ptys().start(io.sandboxspi.PtyRequest.shell("true")));
        Expect.code(
            "S-CAP-02",
            ErrorCode.UNSUPPORTED,
            () -> session.exec(Command.of("true").terminal(TerminalSize.DEFAULT)));
      }
      case STDIN_AFTER_START ->
          Expect.code(
              "S-CAP-02",
              ErrorCode.UNSUPPORTED,
              () -> session.start(Command.of("cat").stdin(Stdin.pipe())));
      case RESIZE -> {
        int id = kit().beat("a");
        Expect.code(
            "S-CAP-02",
            ErrorCode.UNSUPPORTED,
            () -> session.ptys().resize(id, TerminalSize.DEFAULT));
      }
      case SIGNALS -> {
        int id = kit().beat("a");
        Expect.code(
            "S-CAP-02", ErrorCode.UNSUPPORTED, () -> session.ptys().signal(id, Signal.TERM));
      }
      case REATTACH ->
          Expect.code(
              "S-CAP-02",
              ErrorCode.UNSUPPORTED,
              () -> kit().provider().delegate().attach(session.backend(), soon()));
      case USERS -> {
        Command command = Command.of("id").user("nobody");
        Expect.code("S-CAP-02", ErrorCode.UNSUPPORTED, () -> session.exec(command));
      }
      case PORTS -> Expect.code("S-CAP-02", ErrorCode.UNSUPPORTED, () -> session.endpoint(8_080));
      case NATIVE_SNAPSHOTS ->
          Expect.that(
              "S-CAP-02",
              kit().provider().nativeSnapshots().isEmpty(),
              "the provider has snapshots that it does not declare");
      case LIST ->
          Expect.code(
              "S-CAP-02",
              ErrorCode.UNSUPPORTED,
              () -> kit().provider().delegate().list(kit().providerOptions(), soon()));
      case EXIT_CODE_RELIABLE,
          SEPARATE_STDERR,
          KILL_GROUP,
          KILL_ESCAPED,
          CLIENT_CHOSEN_ID,
          CONFINED ->
          Assumptions.abort("no call asks for capability " + capability);
    }
  }
}
