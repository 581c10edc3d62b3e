package io.sandboxspi.cli;

import io.sandboxspi.SandboxSession;
import java.io.PrintWriter;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** A sandbox of this command; removed at its end, or let go of and named. */
final class OpenSandbox implements AutoCloseable {
  private final SandboxSession session;
  private final boolean keep;
  private final PrintWriter err;

  OpenSandbox(SandboxSession session, boolean keep, PrintWriter err) {
    this.session = session;
    this.keep = keep;
    this.err = err;
  }

  SandboxSession session() {
    return session;
  }

  @Override
  public void close() {
    if (!keep) {
      session.close();
      return;
    }
    try {
      session.shutdown();
    } catch (InterruptedException told) {
      Thread.currentThread().interrupt();
    } catch (CliFailure told) {
      // The user's own end, which the command tells already
      if (!told.isQuiet()) {
        throw told;
      }
    }
    err.println("sandbox: kept " + name(session.backend().data()));
    err.flush();
  }

  /** What a reference says, in one line. */
  static String name(Map<String, String> data) {
    return new TreeMap<>(data)
        .entrySet().stream()
            .map(entry -> entry.getKey() + "=" + entry.getValue())
            .collect(Collectors.joining(" "));
  }
}
