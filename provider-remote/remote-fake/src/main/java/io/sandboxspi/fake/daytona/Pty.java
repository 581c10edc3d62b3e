package io.sandboxspi.fake.daytona;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.fake.Posix;
import io.sandboxspi.fake.RealProcess;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * One interactive login shell on a terminal. Its connections are closed as soon as it has ended,
 * whatever of its output is still on the way.
 */
final class Pty implements RealProcess.Listener {
  private static final int SIGNALLED = 128;

  private final FakeSandbox sandbox;
  private final Ptys owner;
  private final String id;
  private final String directory;
  private final Map<String, String> environment;
  private final List<PtyClient> clients = new CopyOnWriteArrayList<>();
  private int columns;
  private int rows;
  private @Nullable RealProcess process;
  private boolean ended;

  Pty(
      FakeSandbox sandbox,
      Ptys owner,
      String id,
      String directory,
      Map<String, String> environment,
      int columns,
      int rows) {
    this.sandbox = sandbox;
    this.owner = owner;
    this.id = id;
    this.directory = directory.isEmpty() ? sandbox.home().toString() : directory;
    this.environment = new HashMap<>(environment);
    this.environment.putIfAbsent("TERM", "xterm-256color");
    this.columns = columns;
    this.rows = rows;
  }

  String id() {
    return id;
  }

  /** Starts the shell, unless it runs. */
  synchronized void start() throws IOException {
    if (process == null && !ended) {
      process =
          RealProcess.start(
              new RealProcess.Spec(
                  List.of("/bin/bash", "-i", "-l"),
                  sandbox.environment(environment),
                  directory,
                  Optional.of(new int[] {columns, rows}),
                  true),
              this);
      process.begin();
    }
  }

  /** Adds a connection; whether the shell is there. */
  synchronized boolean attach(PtyClient client) throws IOException {
    if (ended) {
      return false;
    }
    clients.add(client);
    start();
    return true;
  }

  void detach(PtyClient client) {
    clients.remove(client);
  }

  /** Writes; blocks when nobody reads. */
  boolean write(byte[] bytes) {
    RealProcess mine;
    synchronized (this) {
      mine = process;
    }
    try {
      if (mine != null) {
        mine.write(bytes);
        return true;
      }
    } catch (IOException ended) {
      return false;
    }
    return false;
  }

  synchronized void resize(int newColumns, int newRows) {
    columns = newColumns;
    rows = newRows;
    if (process != null && !ended) {
      process.resize(newColumns, newRows);
    }
  }

  /** Kills descendants, then the shell; not what has left them. */
  void kill() {
    RealProcess mine;
    synchronized (this) {
      // Of one that has ended the number may be another process's by now.
      mine = ended ? null : process;
      if (process == null) {
        ended = true;
      }
    }
    if (mine != null) {
      ProcessHandle.of(mine.pid())
          .ifPresent(
              handle ->
                  handle.descendants().forEach(child -> Posix.signal(child.pid(), Posix.KILL)));
      boolean unused = Posix.signal(mine.pid(), Posix.KILL);
    }
  }

  void cut() {
    clients.forEach(PtyClient::cut);
  }

  @Override
  public void onOutput(int stream, byte[] bytes) {
    clients.forEach(client -> client.output(bytes));
  }

  @Override
  public void onExit(int code, int signal) {
    RealProcess mine;
    synchronized (this) {
      ended = true;
      mine = process;
    }
    owner.remove(this);
    int shown = signal > 0 ? SIGNALLED + signal : code;
    clients.forEach(client -> client.exited(shown));
    if (mine != null) {
      mine.release();
    }
  }

  @Override
  public void onOutputClosed() {
    // The exit ends the connections.
  }

  synchronized ObjectNode describe() {
    ObjectNode node =
        FakeSandbox.object()
            .put("id", id)
            .put("cwd", directory)
            .put("cols", columns)
            .put("rows", rows)
            .put("createdAt", java.time.Instant.now().toString())
            .put("active", !ended)
            .put("lazyStart", process == null);
    ObjectNode envs = node.putObject("envs");
    environment.forEach(envs::put);
    return node;
  }
}
