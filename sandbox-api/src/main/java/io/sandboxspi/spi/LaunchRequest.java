package io.sandboxspi.spi;

import io.sandboxspi.TerminalSize;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A process to launch, checked by the engine. {@code toString} shows the program and the names of
 * variables only.
 *
 * @param id chosen by the engine; the backend must be able to end the launch by it at any time
 * @param argv program and arguments, at least the program, no NUL characters
 * @param environment variables of the session and the request; the backend adds its minimal set
 * @param workdir absolute, or relative to the workspace; empty for the workspace
 * @param terminal the terminal's size; empty for pipes
 * @param openInput whether input can be written; otherwise it is at its end at once. Always true
 *     with a terminal
 * @param user an account of the sandbox; only with {@link io.sandboxspi.Capability#USERS}, empty
 *     for the backend's own
 */
public record LaunchRequest(
    LaunchId id,
    List<String> argv,
    Map<String, String> environment,
    Optional<String> workdir,
    Optional<TerminalSize> terminal,
    boolean openInput,
    Optional<String> user) {

  /** As the backend's own user. */
  public LaunchRequest(
      LaunchId id,
      List<String> argv,
      Map<String, String> environment,
      Optional<String> workdir,
      Optional<TerminalSize> terminal,
      boolean openInput) {
    this(id, argv, environment, workdir, terminal, openInput, Optional.empty());
  }

  /** Copies the collections. */
  public LaunchRequest {
    argv = List.copyOf(argv);
    environment = Map.copyOf(environment);
  }

  @Override
  public String toString() {
    return "LaunchRequest[id="
        + id
        + ", program="
        + argv.get(0)
        + ", environment="
        + environment.keySet()
        + ", terminal="
        + terminal
        + "]";
  }
}
