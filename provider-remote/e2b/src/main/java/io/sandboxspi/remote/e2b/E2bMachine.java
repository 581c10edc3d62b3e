package io.sandboxspi.remote.e2b;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.remote.shell.Machine;
import io.sandboxspi.remote.shell.Output;
import io.sandboxspi.remote.shell.Running;
import io.sandboxspi.remote.transport.Json;
import io.sandboxspi.spi.Deadline;
import java.io.InputStream;
import java.util.Optional;
import java.util.concurrent.Executor;

/** One sandbox of E2B. */
final class E2bMachine implements Machine {
  private final Envd envd;
  private final ControlPlane controlPlane;
  private final String sandbox;
  private final Executor executor;

  E2bMachine(Envd envd, ControlPlane controlPlane, String sandbox, Executor executor) {
    this.envd = envd;
    this.controlPlane = controlPlane;
    this.sandbox = sandbox;
    this.executor = executor;
  }

  @Override
  public Running start(Start start, Output output, Deadline deadline) throws InterruptedException {
    ObjectNode request = Json.object();
    ObjectNode process = request.putObject("process").put("cmd", start.argv().get(0));
    start.argv().stream().skip(1).forEach(process.withArray("args")::add);
    ObjectNode variables = process.putObject("envs");
    start.environment().forEach(variables::put);
    process.put("cwd", "/");
    boolean terminal = start.terminal().isPresent();
    start
        .terminal()
        .ifPresentOrElse(
            size -> request.putObject("pty").set("size", EnvdProcess.size(size)),
            () -> request.put("stdin", start.input()));
    EnvdProcess running = new EnvdProcess(envd, output, terminal, executor);
    running.start(request, deadline);
    return running;
  }

  @Override
  public Optional<Condition> condition(Deadline deadline) throws InterruptedException {
    return Optional.of(Condition.of(controlPlane.state(sandbox, deadline)));
  }

  @Override
  public boolean inPlace() {
    return true;
  }

  @Override
  public InputStream read(String path, Deadline deadline) throws InterruptedException {
    return envd.read(path, deadline);
  }

  @Override
  public void write(String path, InputStream content, Deadline deadline)
      throws InterruptedException {
    envd.write(path, content, deadline);
  }
}
