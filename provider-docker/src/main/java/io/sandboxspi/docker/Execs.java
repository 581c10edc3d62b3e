package io.sandboxspi.docker;

import com.fasterxml.jackson.databind.JsonNode;
import com.github.dockerjava.api.command.InspectExecResponse;
import io.sandboxspi.TerminalSize;
import io.sandboxspi.docker.engine.Engine;
import io.sandboxspi.docker.engine.EngineException;
import io.sandboxspi.docker.engine.Hijacked;
import io.sandboxspi.docker.engine.Refusal;
import io.sandboxspi.spi.Deadline;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/** Execs of one container. */
final class Execs {
  private final Engine engine;
  private final String container;

  Execs(Engine engine, String container) {
    this.engine = engine;
    this.container = container;
  }

  /**
   * A process to make.
   *
   * @param argv program and arguments
   * @param environment more variables
   * @param terminal whether it has a terminal
   * @param input whether its input is attached
   */
  record Spec(
      List<String> argv, Map<String, String> environment, boolean terminal, boolean input) {}

  /**
   * A process and its streams.
   *
   * @param id the exec's id
   * @param connection its streams
   */
  record Started(String id, Hijacked connection) {}

  /** Makes and starts a process. Nothing is started before the engine has answered once. */
  Started start(Spec spec, Deadline deadline) throws InterruptedException {
    return attach(create(spec, deadline), spec.terminal(), deadline);
  }

  /** Makes an exec that runs nothing yet. */
  String create(Spec spec, Deadline deadline) throws InterruptedException {
    List<String> environment =
        spec.environment().entrySet().stream().map(e -> e.getKey() + "=" + e.getValue()).toList();
    JsonNode id =
        engine
            .post(
                "/containers/" + container + "/exec",
                Map.of(
                    "Cmd",
                    spec.argv(),
                    "Env",
                    environment,
                    "Tty",
                    spec.terminal(),
                    "AttachStdin",
                    spec.input(),
                    "AttachStdout",
                    true,
                    "AttachStderr",
                    true),
                deadline)
            .get("Id");
    if (id == null || !id.asText().matches("[0-9a-f]{12,128}")) {
      throw new EngineException(EngineException.Kind.MALFORMED, "the engine gave no id of an exec");
    }
    return id.asText();
  }

  /** Starts an exec. */
  Started attach(String exec, boolean terminal, Deadline deadline) throws InterruptedException {
    Hijacked connection =
        engine.hijack(
            "/exec/" + exec + "/start", Map.of("Detach", false, "Tty", terminal), deadline);
    return new Started(exec, connection);
  }

  /**
   * What an exec is at.
   *
   * @param running whether it runs, as far as the engine knows
   * @param code its exit code, once it has ended; a missing code is no code
   */
  record Status(boolean running, OptionalInt code) {}

  /** Asks for the status. */
  Status status(String exec, Deadline deadline) throws InterruptedException {
    InspectExecResponse answer =
        engine.call(deadline, client -> client.inspectExecCmd(exec).exec());
    boolean running = Boolean.TRUE.equals(answer.isRunning());
    Long code = answer.getExitCodeLong();
    return new Status(
        running, running || code == null ? OptionalInt.empty() : OptionalInt.of(code.intValue()));
  }

  /** Waits for the exit code; empty if the engine does not know the exec any more. */
  OptionalInt exitCode(String exec, Deadline deadline) throws InterruptedException {
    Pause pause = new Pause();
    while (true) {
      try {
        Status status = status(exec, deadline);
        if (status.code().isPresent()) {
          return status.code();
        }
      } catch (Refusal refusal) {
        if (refusal.notFound()) {
          return OptionalInt.empty();
        }
        throw refusal;
      }
      pause.next(deadline);
    }
  }

  /** Sets the terminal's size; one that has ended has none. */
  void resize(String exec, TerminalSize size, Deadline deadline) throws InterruptedException {
    Object unused =
        engine.call(
            deadline,
            client -> {
              client.resizeExecCmd(exec).withSize(size.rows(), size.columns()).exec();
              return true;
            });
  }
}
