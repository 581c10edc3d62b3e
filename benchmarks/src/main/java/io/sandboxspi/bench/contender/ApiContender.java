package io.sandboxspi.bench.contender;

import io.sandboxspi.Command;
import io.sandboxspi.ExecResult;
import io.sandboxspi.PtyRequest;
import io.sandboxspi.PtyUpdate;
import io.sandboxspi.RunningCommand;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.SandboxSpec;
import io.sandboxspi.TerminalSize;
import io.sandboxspi.YieldOptions;
import io.sandboxspi.core.Sandboxes;
import io.sandboxspi.spi.SandboxProvider;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The whole public API over the local provider. */
public final class ApiContender implements Contender {
  private static final YieldOptions AT_ONCE =
      YieldOptions.forStart().window(Duration.ofSeconds(30)).quietAfter(Duration.ofNanos(1));

  private final SandboxSession session;
  private final Optional<StallingProvider> stalling;

  private ApiContender(SandboxSession session, Optional<StallingProvider> stalling) {
    this.session = session;
    this.stalling = stalling;
  }

  /** As a runtime opens it. */
  public static ApiContender open() throws InterruptedException {
    return new ApiContender(Sandboxes.open("local", SandboxSpec.defaults()), Optional.empty());
  }

  /** The same, but ending the first process stalls for ever. */
  public static ApiContender openStalling() throws InterruptedException {
    SandboxProvider local = Sandboxes.provider("local");
    StallingProvider provider = new StallingProvider(local);
    return new ApiContender(
        Sandboxes.open(provider, SandboxSpec.defaults()), Optional.of(provider));
  }

  @Override
  public long firstByte(List<String> argv) throws Exception {
    long begin = System.nanoTime();
    PtyUpdate update = session.ptys().start(PtyRequest.of(argv).collect(AT_ONCE));
    long end = System.nanoTime();
    if (update.output().isEmpty()) {
      throw new IllegalStateException("no output");
    }
    finish(update);
    return end - begin;
  }

  private String finish(PtyUpdate first) throws InterruptedException {
    StringBuilder all = new StringBuilder(first.output());
    PtyUpdate update = first;
    while (update.running()) {
      update = session.ptys().poll(update.id());
      all.append(update.output());
    }
    return all.toString();
  }

  @Override
  public long whole(List<String> argv) throws Exception {
    long begin = System.nanoTime();
    ExecResult result = session.exec(Command.of(argv));
    long end = System.nanoTime();
    if (!result.successful()) {
      throw new IllegalStateException("failed: " + result.status());
    }
    return end - begin;
  }

  @Override
  public Dialogue dialogue() throws Exception {
    int id = session.ptys().start(PtyRequest.of(Programs.ECHO).collect(AT_ONCE)).id();
    return new Dialogue() {
      @Override
      public long roundTrip() throws Exception {
        long begin = System.nanoTime();
        PtyUpdate update = session.ptys().write(id, "x", AT_ONCE);
        long end = System.nanoTime();
        if (update.output().length() != 1) {
          throw new IllegalStateException("wrong answer");
        }
        return end - begin;
      }

      @Override
      public void close() throws Exception {
        session.ptys().terminate(id);
      }
    };
  }

  @Override
  public long drain(List<String> argv, int buffer) throws Exception {
    Command command = Command.of(argv).terminal(TerminalSize.DEFAULT).streaming();
    try (RunningCommand running = session.start(command)) {
      InputStream in = running.stdout();
      byte[] bytes = new byte[buffer];
      long total = 0;
      for (int count = in.read(bytes); count >= 0; count = in.read(bytes)) {
        total += count;
      }
      running.await();
      return total;
    }
  }

  @Override
  public void keep(List<String> argv) throws Exception {
    PtyUpdate update = session.ptys().start(PtyRequest.of(argv).collect(AT_ONCE));
    if (update.output().isEmpty()) {
      throw new IOException("no output");
    }
  }

  @Override
  public void endAll() throws Exception {
    try {
      session.ptys().terminateAll();
      if (stalling.isPresent()) {
        throw new IllegalStateException("a stalled process was called ended");
      }
    } catch (SandboxException unconfirmed) {
      if (stalling.isEmpty()) {
        throw unconfirmed;
      }
    }
  }

  @Override
  public String session(List<String> argv) throws Exception {
    return finish(session.ptys().start(PtyRequest.of(argv)));
  }

  @Override
  public void close() {
    stalling.ifPresent(StallingProvider::recover);
    session.close();
  }
}
