package io.sandboxspi.remote.modal;

import io.sandboxspi.SandboxException;
import io.sandboxspi.TerminalSize;
import io.sandboxspi.core.posix.PosixLauncher;
import io.sandboxspi.core.posix.ShellText;
import io.sandboxspi.remote.modal.Rpc.Again;
import io.sandboxspi.remote.modal.wire.PTYInfo;
import io.sandboxspi.remote.modal.wire.TaskCommandRouter;
import io.sandboxspi.remote.modal.wire.TaskExecStartRequest;
import io.sandboxspi.remote.modal.wire.TaskExecStderrConfig;
import io.sandboxspi.remote.modal.wire.TaskExecStdoutConfig;
import io.sandboxspi.remote.shell.Machine;
import io.sandboxspi.remote.shell.Output;
import io.sandboxspi.remote.shell.Running;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.spi.Deadline;
import java.io.InputStream;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One sandbox of Modal. */
final class ModalMachine implements Machine {
  private static final Logger LOG = LoggerFactory.getLogger(ModalMachine.class);
  private static final String SHELL = "/bin/sh";
  private static final Duration DISCARD = Duration.ofSeconds(5);

  /** Every process that we start has it, and so have its children. */
  private static final String MARK = "SANDBOX_MODAL_EXEC";

  private final Router router;
  private final Executor executor;
  private final String stateDirectory;
  private volatile Asking asking =
      (command, deadline) -> {
        throw new RemoteException(Kind.CLOSED, "the sandbox is not open yet");
      };

  /** Asks a kept shell. */
  interface Asking {
    String ask(String command, Deadline deadline) throws InterruptedException;
  }

  /**
   * Makes no call.
   *
   * @param executor runs tasks that block
   */
  ModalMachine(Router router, Executor executor, String stateDirectory) {
    this.router = router;
    this.executor = executor;
    this.stateDirectory = stateDirectory;
  }

  /** From now on a kept shell is asked. */
  void asking(Asking shell) {
    asking = shell;
  }

  @Override
  public Running start(Start start, Output output, Deadline deadline) throws InterruptedException {
    String launch = start.environment().getOrDefault(PosixLauncher.COOKIE, "");
    return start(start.argv(), start.environment(), start.terminal(), launch, output, deadline);
  }

  /** Runs a text of our own in a shell. */
  Running command(String script, Map<String, String> more, Output output, Deadline deadline)
      throws InterruptedException {
    return start(List.of(SHELL, "-c", script), more, Optional.empty(), "", output, deadline);
  }

  private Running start(
      List<String> argv,
      Map<String, String> environment,
      Optional<TerminalSize> terminal,
      String launch,
      Output output,
      Deadline deadline)
      throws InterruptedException {
    // The vendor takes all requests with it for one.
    String exec = UUID.randomUUID().toString();
    Map<String, String> variables = new HashMap<>(environment);
    variables.put(MARK, exec);
    Object unused =
        router.call(
            "starting a process",
            TaskCommandRouter.TASK_EXEC_START,
            task -> {
              TaskExecStartRequest.Builder request =
                  TaskExecStartRequest.newBuilder()
                      .setTaskId(task)
                      .setExecId(exec)
                      .addAllCommandArgs(argv)
                      // 0 is nothing at all.
                      .setStdoutConfig(TaskExecStdoutConfig.TASK_EXEC_STDOUT_CONFIG_PIPE)
                      .setStderrConfig(TaskExecStderrConfig.TASK_EXEC_STDERR_CONFIG_PIPE)
                      .setWorkdir("/")
                      .putAllEnv(variables);
              terminal.ifPresent(size -> request.setPtyInfo(terminal(size, environment)));
              return request.build();
            },
            Again.ROUTER,
            deadline);
    ModalProcess process =
        new ModalProcess(
            router,
            exec,
            output,
            executor,
            new ModalProcess.Hands() {
              @Override
              public void resize(TerminalSize size, Deadline until) throws InterruptedException {
                ModalMachine.this.resize(launch, size, until);
              }

              @Override
              public void end(Deadline until) throws InterruptedException {
                ModalMachine.this.end(exec, until);
              }
            });
    process.begin(terminal.isPresent(), launch.isEmpty());
    return process;
  }

  private static PTYInfo terminal(TerminalSize size, Map<String, String> environment) {
    return PTYInfo.newBuilder()
        .setEnabled(true)
        .setWinszRows(size.rows())
        .setWinszCols(size.columns())
        .setEnvTerm(environment.getOrDefault("TERM", "xterm-256color"))
        .setEnvColorterm(environment.getOrDefault("COLORTERM", ""))
        .setPtyType(PTYInfo.PTYType.PTY_TYPE_SHELL)
        // Otherwise it is ended when nothing is typed for a while.
        .setNoTerminateOnIdleStdin(true)
        .build();
  }

  /**
   * By the process that is on record, if its number is still its own. One that ends meanwhile is
   * left alone: it is looked at again after a failure.
   */
  private void resize(String launch, TerminalSize size, Deadline deadline)
      throws InterruptedException {
    String record = ShellText.quote(stateDirectory + "/" + launch + ".pid");
    String command =
        """
        ( lives() { read -r t </proc/$p/stat && t=${t##*\\) } && set -- $t &&
          [ "${20}" = "$s" ] && [ "$1" != Z ]; }
        size() { stty -F /proc/$p/fd/0 rows %d cols %d; }
        read -r p s r <%s && lives || exit 3
        size || { lives && size; } || { lives && exit 4; exit 3; } ) 2>/dev/null
        echo $?"""
            .formatted(size.rows(), size.columns(), record);
    String answer = asking.ask(command, deadline).strip();
    if (!answer.equals("0") && !answer.equals("3")) {
      throw RemoteException.refused(
          501,
          "unimplemented",
          "",
          Optional.empty(),
          "the terminal's size cannot be changed in this sandbox: stty or /proc is missing");
    }
  }

  /** All that carries its mark. */
  private void end(String exec, Deadline deadline) throws InterruptedException {
    String script =
        "for e in /proc/[0-9]*/environ; do"
            + " p=${e%/environ}; p=${p#/proc/};"
            + " [ \"$p\" = \"$$\" ] || ! tr '\\0' '\\n' 2>/dev/null <\"$e\" | grep -q "
            + ShellText.quote("^" + MARK + "=" + exec + "$")
            + " || kill -KILL \"$p\" 2>/dev/null; done";
    String unused = OneShot.run(this, script + "; true", deadline);
  }

  /** Ends a command of our own that is not needed any more, in the background. */
  void discard(Running running) {
    executor.execute(
        () -> {
          try {
            running.end(Deadline.after(DISCARD));
          } catch (RemoteException e) {
            LOG.debug("a command may be left in the sandbox", e);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
  }

  @Override
  public Optional<Condition> condition(Deadline deadline) throws InterruptedException {
    return Optional.of(Condition.of(router.plane().state(router.sandbox(), deadline)));
  }

  @Override
  public InputStream read(String path, Deadline deadline) throws InterruptedException {
    ExecInput content = new ExecInput(this);
    content.started(command("exec cat <" + ShellText.quote(path), Map.of(), content, deadline));
    return content;
  }

  @Override
  public void write(String path, InputStream content, Deadline deadline)
      throws InterruptedException {
    String parent = path.substring(0, Math.max(1, path.lastIndexOf('/')));
    OneShot.feed(
        this,
        "mkdir -p -m 700 " + ShellText.quote(parent) + " && exec cat >" + ShellText.quote(path),
        content,
        deadline);
  }

  /**
   * Makes the workspace.
   *
   * @return the home and the workspace, by their real paths
   */
  String[] greet(String workspace, Deadline deadline) throws InterruptedException {
    String directory = ShellText.quote(workspace);
    String script =
        "cd \"${HOME:-/}\" && pwd -P && mkdir -p "
            + directory
            + " && cd "
            + directory
            + " && pwd -P";
    String[] lines = OneShot.run(this, script, deadline).split("\n", -1);
    if (lines.length != 3 || !lines[0].startsWith("/") || !lines[1].startsWith("/")) {
      throw SandboxException.of(
          io.sandboxspi.ErrorCode.CREATE_FAILED,
          io.sandboxspi.Operation.CREATE,
          "the workspace cannot be made, or the sandbox has no working /bin/sh");
    }
    return new String[] {lines[0], lines[1]};
  }
}
