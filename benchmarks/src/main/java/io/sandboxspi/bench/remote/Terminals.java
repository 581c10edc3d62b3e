package io.sandboxspi.bench.remote;

import io.sandboxspi.PtyRequest;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.TerminalSize;
import io.sandboxspi.spi.LaunchId;
import io.sandboxspi.spi.LaunchRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Launches of the measurements. */
final class Terminals {
  private Terminals() {}

  static LaunchRequest request(List<String> argv, boolean terminal) {
    return new LaunchRequest(
        LaunchId.random(),
        argv,
        Map.of(),
        Optional.empty(),
        terminal ? Optional.of(TerminalSize.DEFAULT) : Optional.empty(),
        terminal);
  }

  /** Starts terminals side by side, and gives the nanoseconds that their end takes. */
  static long endOf(int many, SandboxSession session) throws IOException, InterruptedException {
    List<Thread> starters = new ArrayList<>();
    for (int i = 0; i < many; i++) {
      Thread starter = new Thread(() -> start(session), "starter");
      starters.add(starter);
      starter.start();
    }
    for (Thread starter : starters) {
      starter.join();
    }
    if (session.ptys().list().size() != many) {
      throw new IOException("not all terminals run");
    }
    long begin = System.nanoTime();
    session.ptys().terminateAll();
    return System.nanoTime() - begin;
  }

  private static void start(SandboxSession session) {
    try {
      Object unused = session.ptys().start(PtyRequest.of("cat").collectFor(Duration.ofMillis(250)));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
