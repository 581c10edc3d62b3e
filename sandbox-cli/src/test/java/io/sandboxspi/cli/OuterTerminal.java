package io.sandboxspi.cli;

import io.sandboxspi.PtyRequest;
import io.sandboxspi.PtyUpdate;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.SandboxSpec;
import io.sandboxspi.TerminalSize;
import io.sandboxspi.YieldOptions;
import io.sandboxspi.core.Sandboxes;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The terminal that a user of the command would sit at: a PTY of a sandbox of its own. It runs the
 * command and then tells its exit code and whether the terminal's modes are those of before.
 */
final class OuterTerminal implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofSeconds(40);
  private static final String FRAME =
      "trap : INT; stty -a | sed 's,rows.*columns [0-9]*,,' >before; sh -c 'echo $$ >pid.new; mv pid.new pid; exec \"$@\"' sh \"$@\";"
          + " echo \"code=$?\"; stty -a | sed 's,rows.*columns [0-9]*,,' >after;"
          + " if cmp before after; then echo restored; else echo changed; fi; echo over";

  private final SandboxSession sandbox;
  private final StringBuilder seen = new StringBuilder();
  private PtyUpdate update;
  private int read;

  private OuterTerminal(SandboxSession sandbox, PtyUpdate update) {
    this.sandbox = sandbox;
    this.update = update;
    seen.append(update.output());
  }

  /** Runs the command on a terminal of 100x30. */
  static OuterTerminal start(String... arguments) throws Exception {
    return start(Map.of(), arguments);
  }

  /** As the other one, with more variables. */
  static OuterTerminal start(Map<String, String> environment, String... arguments)
      throws Exception {
    SandboxSession sandbox = Sandboxes.open("local", SandboxSpec.defaults());
    try {
      List<String> argv = new ArrayList<>(List.of("sh", "-c", FRAME, "sh"));
      argv.addAll(CliProcess.java());
      argv.addAll(List.of(arguments));
      PtyRequest request =
          PtyRequest.of(argv)
              .terminal(new TerminalSize(100, 30))
              .env("TERM", "vt100")
              .collectFor(Duration.ofMillis(250));
      for (Map.Entry<String, String> each : environment.entrySet()) {
        request = request.env(each.getKey(), each.getValue());
      }
      return new OuterTerminal(sandbox, sandbox.ptys().start(request));
    } catch (Exception | Error failure) {
      sandbox.close();
      throw failure;
    }
  }

  void type(String text) throws InterruptedException {
    next(sandbox.ptys().write(update.id(), text));
  }

  void resize(int columns, int rows) {
    sandbox.ptys().resize(update.id(), new TerminalSize(columns, rows));
  }

  /** Waits for text behind what was awaited before. */
  void await(String text) throws InterruptedException {
    long until = System.nanoTime() + LIMIT.toNanos();
    int at;
    while ((at = seen.indexOf(text, read)) < 0) {
      if (!update.running() || System.nanoTime() > until) {
        throw new AssertionError("no \"" + text + "\" in:\n" + seen);
      }
      YieldOptions soon = YieldOptions.forPoll().quietAfter(Duration.ofMillis(50));
      next(sandbox.ptys().poll(update.id(), soon));
    }
    read = at + text.length();
  }

  /** Types again and again until the text comes. */
  void typeUntil(String typed, String text) throws InterruptedException {
    long until = System.nanoTime() + LIMIT.toNanos();
    while (seen.indexOf(text, read) < 0) {
      if (System.nanoTime() > until) {
        throw new AssertionError("no \"" + text + "\" in:\n" + seen);
      }
      type(typed);
    }
    await(text);
  }

  /** The process id of the command. */
  long pid() throws InterruptedException {
    byte[] text = sandbox.files().read("pid");
    return Long.parseLong(new String(text, StandardCharsets.UTF_8).strip());
  }

  String seen() {
    return seen.toString();
  }

  private void next(PtyUpdate value) {
    update = value;
    seen.append(value.output());
  }

  @Override
  public void close() {
    sandbox.close();
  }
}
