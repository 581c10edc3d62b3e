package io.sandboxspi;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What a command and a PTY have in common: a process to start. Immutable and checked. */
record ProcessDraft(
    List<String> argv,
    Map<String, String> environment,
    @Nullable String workdir,
    @Nullable TerminalSize terminal,
    @Nullable String user,
    Duration openTimeout) {

  ProcessDraft {
    argv = Checks.argv(argv);
    environment = Checks.environment(environment);
    if (workdir != null) {
      Checks.workdir(workdir);
    }
    if (user != null) {
      Checks.user(user);
    }
    Checks.positive("openTimeout", openTimeout);
  }

  static ProcessDraft of(List<String> argv, @Nullable TerminalSize terminal) {
    return new ProcessDraft(argv, Map.of(), null, terminal, null, PtyRequest.DEFAULT_OPEN_TIMEOUT);
  }

  static List<String> argv(String program, String... arguments) {
    List<String> argv = new ArrayList<>();
    argv.add(program);
    argv.addAll(List.of(arguments));
    return argv;
  }

  ProcessDraft withVariable(String name, String value) {
    Map<String, String> more = new LinkedHashMap<>(environment);
    more.put(name, value);
    return new ProcessDraft(argv, more, workdir, terminal, user, openTimeout);
  }

  ProcessDraft withWorkdir(String path) {
    Objects.requireNonNull(path, "workdir");
    return new ProcessDraft(argv, environment, path, terminal, user, openTimeout);
  }

  ProcessDraft withTerminal(@Nullable TerminalSize size) {
    return new ProcessDraft(argv, environment, workdir, size, user, openTimeout);
  }

  ProcessDraft withUser(String name) {
    Objects.requireNonNull(name, "user");
    return new ProcessDraft(argv, environment, workdir, terminal, name, openTimeout);
  }

  ProcessDraft withOpenTimeout(Duration limit) {
    Objects.requireNonNull(limit, "openTimeout");
    return new ProcessDraft(argv, environment, workdir, terminal, user, limit);
  }

  /** The program and the names of variables, never arguments or values (spec S-ERR-03). */
  @Override
  public String toString() {
    return "program="
        + argv.get(0)
        + ", arguments="
        + (argv.size() - 1)
        + ", environment="
        + environment.keySet();
  }
}
