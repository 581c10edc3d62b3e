package io.sandboxspi.fake.blaxel;

import io.sandboxspi.fake.RealProcess;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * A shell on a terminal. When it has ended, its terminal is closed at once and the rest of its
 * session killed; nobody is told.
 */
final class Shell implements RealProcess.Listener {
  private static final int CHUNK = 4096;
  private static final int KEPT = 100 * 1024;

  private final List<TerminalClient> clients = new CopyOnWriteArrayList<>();
  private final ByteArrayOutputStream last = new ByteArrayOutputStream();
  private final @Nullable RealProcess process;
  private final FakeSandbox sandbox;
  private final String failure;
  private volatile boolean ended;

  Shell(FakeSandbox sandbox, String program, String directory, int columns, int rows) {
    this.sandbox = sandbox;
    Map<String, String> environment = new HashMap<>(sandbox.environment(Map.of()));
    environment.putIfAbsent("TERM", "xterm-256color");
    RealProcess started = null;
    String why = "";
    try {
      started =
          RealProcess.start(
              new RealProcess.Spec(
                  List.of(program),
                  environment,
                  directory,
                  Optional.of(new int[] {columns, rows}),
                  true),
              this);
    } catch (IOException e) {
      why = "fork/exec " + program + ": " + e.getMessage();
      ended = true;
    }
    process = started;
    failure = why;
  }

  boolean ended() {
    return ended;
  }

  /** Why it did not start; empty if it did. */
  String failure() {
    return failure;
  }

  /** Adds a client, who hears first what came before. */
  void attach(TerminalClient client, boolean again, int columns, int rows) {
    if (!again) {
      clients.add(client);
      if (process != null) {
        process.begin();
      }
      return;
    }
    resize(columns, rows);
    synchronized (last) {
      byte[] all = last.toByteArray();
      byte[] before = java.util.Arrays.copyOfRange(all, Math.max(0, all.length - KEPT), all.length);
      client.output("\u001b[0m" + GoText.of(before));
      clients.add(client);
    }
  }

  void detach(TerminalClient client) {
    clients.remove(client);
  }

  /** Writes; blocks when nobody reads. Whether the shell lives. */
  boolean write(byte[] bytes) {
    if (ended || process == null) {
      return false;
    }
    try {
      process.write(bytes);
      return true;
    } catch (IOException closed) {
      return false;
    }
  }

  void resize(int columns, int rows) {
    if (!ended && process != null) {
      process.resize(columns, rows);
    }
  }

  @Override
  public void onOutput(int stream, byte[] bytes) {
    for (int from = 0; from < bytes.length; from += CHUNK) {
      byte[] chunk =
          java.util.Arrays.copyOfRange(bytes, from, Math.min(bytes.length, from + CHUNK));
      // A character that is cut here is lost.
      String text = GoText.of(chunk);
      synchronized (last) {
        keep(chunk);
        clients.forEach(client -> client.output(text));
      }
    }
  }

  private void keep(byte[] chunk) {
    last.writeBytes(chunk);
    if (last.size() > 2 * KEPT) {
      byte[] all = last.toByteArray();
      last.reset();
      last.write(all, all.length - KEPT, KEPT);
    }
  }

  @Override
  public void onExit(int code, int signal) {
    ended = true;
    RealProcess mine = process;
    if (mine != null) {
      sandbox.killSession(mine.pid());
      mine.release();
    }
  }

  @Override
  public void onOutputClosed() {
    // The exit ends it.
  }
}
