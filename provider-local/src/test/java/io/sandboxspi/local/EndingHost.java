package io.sandboxspi.local;

import io.sandboxspi.Command;
import io.sandboxspi.ExitStatus;
import io.sandboxspi.PtyRequest;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.SandboxSpec;
import io.sandboxspi.core.Sandboxes;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.LaunchId;
import io.sandboxspi.spi.LaunchRequest;
import io.sandboxspi.spi.OutputChannel;
import io.sandboxspi.spi.ProcessListener;
import io.sandboxspi.spi.SandboxBackend;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A JVM that ends while its sandbox runs processes. */
final class EndingHost {
  private EndingHost() {}

  /** How it ends, and how long the processes would sleep. */
  public static void main(String[] arguments) throws Exception {
    String how = arguments[0];
    String script = "setsid sleep " + arguments[1] + " & sleep " + arguments[1];
    if (how.equals("provider")) {
      startWithoutEngine(script);
      System.out.println("READY");
      System.exit(0);
    }
    SandboxSession session = Sandboxes.open("local", SandboxSpec.defaults());
    if (how.equals("hook")) {
      Runtime.getRuntime().addShutdownHook(new Thread(() -> startInHook(script)));
    }
    start(session, script);
    System.out.println("READY");
    switch (how) {
      case "exit", "hook" -> System.exit(0);
      case "term" -> {
        boolean never = new CountDownLatch(1).await(60, TimeUnit.SECONDS); // SIGTERM ends it
      }
      default -> {
        // The last thread that is no daemon returns.
      }
    }
  }

  /** The engine's own clean-up knows nothing of this one. */
  private static void startWithoutEngine(String script) throws InterruptedException {
    Deadline soon = Deadline.after(Duration.ofSeconds(20));
    SandboxBackend backend =
        new LocalProvider().create(new BackendRequest("direct", Map.of()), soon);
    LaunchRequest request =
        new LaunchRequest(
            LaunchId.random(),
            List.of("sh", "-c", script),
            Map.of(),
            Optional.empty(),
            Optional.empty(),
            false);
    backend.launch(request, new Ignored(), soon);
  }

  /** Nobody listens. */
  private static final class Ignored implements ProcessListener {
    @Override
    public boolean onOutput(OutputChannel channel, ByteBuffer bytes) {
      return true;
    }

    @Override
    public void onOutputClosed() {
      // Nobody listens.
    }

    @Override
    public void onExit(ExitStatus status) {
      // Nobody listens.
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
