package io.sandboxspi.local;

import io.sandboxspi.Command;
import io.sandboxspi.PtyRequest;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.SandboxSpec;
import io.sandboxspi.core.Sandboxes;
import java.time.Duration;

/** A JVM that ends while its sandbox runs processes. */
final class EndingHost {
  private EndingHost() {}

  /** How it ends, and how long the processes would sleep. */
  public static void main(String[] arguments) throws Exception {
    String how = arguments[0];
    String script = "setsid sleep " + arguments[1] + " & sleep " + arguments[1];
    SandboxSession session = Sandboxes.open("local", SandboxSpec.defaults());
    if (how.equals("hook")) {
      Runtime.getRuntime().addShutdownHook(new Thread(() -> startInHook(script)));
    }
    start(session, script);
    System.out.println("READY");
    switch (how) {
      case "exit", "hook" -> System.exit(0);
      case "term" -> Thread.sleep(60_000);
      default -> {
        // The last thread that is no daemon returns.
      }
    }
  }

  private static void start(SandboxSession session, String script) throws InterruptedException {
    session.start(Command.shell(script));
    session.ptys().start(PtyRequest.shell(script).collectFor(Duration.ofMillis(250)));
  }

  private static void startInHook(String script) {
    try {
      start(Sandboxes.open("local", SandboxSpec.defaults()), script);
    } catch (SandboxException refused) {
      System.out.println("REFUSED");
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
