package io.sandboxspi.fake.daytona;

import io.sandboxspi.fake.FakeThreads;
import io.sandboxspi.fake.Fault;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import org.eclipse.jetty.websocket.api.Callback;
import org.eclipse.jetty.websocket.api.Session;

/** Follows the log of a command; looks for its end after a second of silence only. */
public final class LogClient implements Session.Listener.AutoDemanding {
  private static final int PIECE = 1024;
  private static final int POLL = 20;
  private static final int SILENCE = 1000;

  private final ShellCommand command;
  private final Optional<Fault> fault;
  private volatile boolean over;

  LogClient(ShellCommand command, Optional<Fault> fault) {
    this.command = command;
    this.fault = fault;
  }

  @Override
  public void onWebSocketOpen(Session session) {
    FakeThreads.start("log", () -> follow(session));
  }

  private void follow(Session session) {
    int from = 0;
    int silent = 0;
    int messages = 0;
    try {
      while (!over) {
        byte[] log = command.log();
        while (from < log.length && !over) {
          int to = Math.min(log.length, from + PIECE);
          Callback.Completable sent = new Callback.Completable();
          session.sendBinary(ByteBuffer.wrap(Arrays.copyOfRange(log, from, to)), sent);
          Object unused = sent.get();
          from = to;
          silent = 0;
          if (fault.orElse(null) instanceof Fault.CutStream cut && ++messages > cut.messages()) {
            session.disconnect();
            return;
          }
        }
        Sessions.pause(POLL);
        silent += POLL;
        if (silent >= SILENCE && command.exitCode().isPresent()) {
          session.close(1000, "", Callback.NOOP);
          return;
        }
      }
    } catch (IOException | java.util.concurrent.ExecutionException e) {
      session.close(1011, "read error", Callback.NOOP);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void onWebSocketClose(int statusCode, String reason, Callback callback) {
    over = true;
    callback.succeed();
  }

  @Override
  public void onWebSocketError(Throwable cause) {
    over = true;
  }
}
