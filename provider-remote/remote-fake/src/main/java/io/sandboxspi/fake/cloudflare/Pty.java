package io.sandboxspi.fake.cloudflare;

import io.sandboxspi.fake.LooseTerminal;
import io.sandboxspi.fake.Posix;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * One terminal. It lives on without connections, and stays when its program has ended, which nobody
 * is told. Thread-safe.
 */
final class Pty implements LooseTerminal.Listener {
  private static final int KEPT = 256 * 1024;
  private static final int TERM = 15;

  private final Container container;
  private final List<PtyClient> clients = new CopyOnWriteArrayList<>();
  private final byte[] ring = new byte[KEPT];
  private long total;
  private volatile boolean dead;
  private volatile @Nullable LooseTerminal terminal;

  Pty(Container container) {
    this.container = container;
  }

  void start(LooseTerminal value) {
    terminal = value;
  }

  void begin() {
    LooseTerminal mine = terminal;
    if (mine != null) {
      mine.begin();
    }
  }

  boolean dead() {
    return dead;
  }

  /** What is kept comes first, then the word that it is ready. */
  synchronized void add(PtyClient client) {
    int size = (int) Math.min(total, KEPT);
    byte[] kept = new byte[size];
    for (int i = 0; i < size; i++) {
      kept[i] = ring[(int) ((total - size + i) % KEPT)];
    }
    client.ready(kept);
    clients.add(client);
  }

  void remove(PtyClient client) {
    clients.remove(client);
  }

  @Override
  public void onOutput(byte[] bytes) {
    container.touch();
    synchronized (this) {
      for (byte each : bytes) {
        ring[(int) (total++ % KEPT)] = each;
      }
      clients.forEach(client -> client.output(bytes));
    }
    clients.forEach(PtyClient::awaitRoom);
  }

  @Override
  public void onExit() {
    dead = true;
  }

  void write(byte[] bytes) {
    LooseTerminal mine = terminal;
    if (mine != null) {
      mine.write(bytes);
    }
  }

  void resize(int columns, int rows) {
    LooseTerminal mine = terminal;
    if (mine != null) {
      mine.resize(columns, rows);
    }
  }

  void cut() {
    clients.forEach(PtyClient::cut);
    clients.clear();
  }

  void tell(String text) {
    clients.forEach(client -> client.text(text));
  }

  void hangUp() {
    LooseTerminal mine = terminal;
    if (mine != null) {
      mine.close();
    }
  }

  /** Connections stay open, and hear nothing more. */
  void delete() throws InterruptedException {
    LooseTerminal mine = terminal;
    if (mine != null) {
      mine.close();
      mine.pid().ifPresent(pid -> Posix.signal(pid, TERM));
      mine.join();
      dead = true;
    }
  }
}
