package io.sandboxspi.fake.cloudflare;

import io.sandboxspi.fake.LooseTerminal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** A context of commands, with one terminal at most. Thread-safe. */
final class BridgeSession {
  private final Container container;
  private final String name;
  private final String directory;
  private final Map<String, String> environment;
  private final List<ExecCall> commands = new CopyOnWriteArrayList<>();
  private @Nullable Pty pty;
  private boolean ending;

  BridgeSession(
      Container container, String name, String directory, Map<String, String> environment) {
    this.container = container;
    this.name = name;
    this.directory = directory;
    this.environment = Map.copyOf(environment);
  }

  String name() {
    return name;
  }

  String directory() {
    return directory;
  }

  Map<String, String> environment() {
    return environment;
  }

  void add(ExecCall command) {
    commands.add(command);
  }

  void remove(ExecCall command) {
    commands.remove(command);
  }

  /**
   * Connects to the terminal, which is made if there is none: shell and size count then only.
   *
   * @throws IOException with what is said to who connects
   */
  synchronized Pty attach(PtyClient client, String shell, int columns, int rows)
      throws IOException {
    if (ending) {
      throw new IOException("Session '" + name + "' shell exited (exit code: 0)");
    }
    boolean first = pty == null;
    if (first) {
      String program = shell.isEmpty() ? "/bin/bash" : shell;
      if (!Files.isExecutable(Path.of(program))) {
        throw new IOException(
            "Failed to create PTY: ENOENT: no such file or directory, posix_spawn '"
                + program
                + "'");
      }
      Pty fresh = new Pty(container);
      fresh.start(
          LooseTerminal.start(List.of(program), variables(), directory, columns, rows, fresh));
      pty = fresh;
    }
    Pty mine = Objects.requireNonNull(pty);
    mine.add(client);
    if (first) {
      // Its first output comes behind the word that it is ready.
      mine.begin();
    }
    return mine;
  }

  private Map<String, String> variables() {
    Map<String, String> variables = container.environment(environment);
    variables.put("TERM", "xterm-256color");
    variables.put("PROMPT_COMMAND", "printf '\\033[H\\033[2J\\033[3J'; unset PROMPT_COMMAND");
    return variables;
  }

  private synchronized Optional<Pty> pty() {
    return Optional.ofNullable(pty);
  }

  void cut() {
    pty().ifPresent(Pty::cut);
  }

  void tell(String text) {
    pty().ifPresent(mine -> mine.tell(text));
  }

  void hangUp() {
    pty().ifPresent(Pty::hangUp);
  }

  /** Ends what runs in it; waits for the terminal's program however long that takes. */
  void delete() throws InterruptedException {
    synchronized (this) {
      ending = true;
    }
    commands.forEach(ExecCall::killed);
    Optional<Pty> mine = pty();
    if (mine.isPresent()) {
      mine.get().delete();
    }
    container.forget(this);
  }
}
