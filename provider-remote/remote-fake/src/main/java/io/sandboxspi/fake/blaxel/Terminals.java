package io.sandboxspi.fake.blaxel;

import io.sandboxspi.fake.Exchange;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Terminals by the names that clients choose. */
final class Terminals {
  private static final List<String> SHELLS =
      List.of("/bin/zsh", "/bin/bash", "/bin/sh", "/bin/ash");

  private final FakeSandbox sandbox;
  private final Map<String, Shell> open = new ConcurrentHashMap<>();
  private final List<TerminalClient> clients = new CopyOnWriteArrayList<>();

  Terminals(FakeSandbox sandbox) {
    this.sandbox = sandbox;
  }

  void connect(Exchange exchange) {
    int columns = number(exchange, "cols", 80);
    int rows = number(exchange, "rows", 24);
    String id = exchange.query("sessionId").orElse("default");
    String directory = exchange.query("workingDir").orElse(sandbox.home().toString());
    String shell =
        exchange
            .query("shell")
            .orElseGet(
                () ->
                    SHELLS.stream()
                        .filter(each -> Files.isExecutable(Path.of(each)))
                        .findFirst()
                        .orElse("/bin/sh"));
    TerminalClient client =
        new TerminalClient(this, id, shell, directory, columns, rows, exchange.fault());
    clients.add(client);
    exchange.upgrade(client, java.util.Optional.empty());
  }

  private static int number(Exchange exchange, String name, int otherwise) {
    String text = exchange.query(name).orElse("");
    return text.matches("[0-9]{1,5}") ? Integer.parseInt(text) : otherwise;
  }

  /**
   * A session.
   *
   * @param known whether it was there before
   */
  record Found(Shell shell, boolean known) {}

  /** The session of this name; a new one without a word if there is none that lives. */
  Found find(String id, String shell, String directory, int columns, int rows) {
    Shell fresh = null;
    Shell found;
    synchronized (open) {
      found = open.get(id);
      if (found == null || found.ended()) {
        fresh = new Shell(sandbox, shell, directory, columns, rows);
        found = fresh;
        open.put(id, fresh);
      }
    }
    return new Found(found, fresh == null);
  }

  void forget(TerminalClient client) {
    clients.remove(client);
  }

  int count() {
    return (int) open.values().stream().filter(each -> !each.ended()).count();
  }

  List<TerminalClient> clients() {
    return clients;
  }

  void cut() {
    clients.forEach(TerminalClient::cut);
  }
}
