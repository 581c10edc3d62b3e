package io.sandboxspi.remote.e2b;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.core.posix.ShellText;
import io.sandboxspi.remote.shell.Machine;
import io.sandboxspi.remote.shell.Output;
import io.sandboxspi.remote.shell.Running;
import io.sandboxspi.remote.transport.HttpTransport;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.OutputChannel;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The first command in a new sandbox: makes the workspace and says where it and the home are. */
final class Greeting {
  private final ByteArrayOutputStream text = new ByteArrayOutputStream();
  private final CompletableFuture<Output.End> end = new CompletableFuture<>();

  private Greeting() {}

  static E2bRef greet(
      ControlPlane controlPlane,
      HttpTransport transport,
      Access access,
      E2bOptions options,
      Deadline deadline)
      throws InterruptedException {
    Envd envd =
        new Envd(
            transport,
            access,
            options.user(),
            options.streamKeepAlive(),
            (refusal, limit) -> {
              throw refusal;
            });
    Machine machine = new E2bMachine(envd, controlPlane, access.sandbox(), Runnable::run);
    String script =
        "cd \"${HOME:-/}\" && pwd -P && mkdir -p "
            + ShellText.quote(options.workspace())
            + " && cd "
            + ShellText.quote(options.workspace())
            + " && pwd -P";
    String[] lines = new Greeting().run(machine, script, deadline).split("\n", -1);
    if (lines.length != 3 || !lines[0].startsWith("/") || !lines[1].startsWith("/")) {
      throw SandboxException.of(
          ErrorCode.CREATE_FAILED,
          Operation.CREATE,
          "the workspace cannot be made, or the sandbox has no working /bin/sh");
    }
    return E2bRef.of(access.sandbox(), lines[0], lines[1], options);
  }

  private String run(Machine machine, String script, Deadline deadline)
      throws InterruptedException {
    Machine.Start start =
        new Machine.Start(List.of("/bin/sh", "-c", script), Map.of(), Optional.empty(), false);
    Running running =
        machine.start(
            start,
            new Output() {
              @Override
              public boolean onOutput(OutputChannel channel, ByteBuffer bytes) {
                while (channel == OutputChannel.STDOUT && bytes.hasRemaining()) {
                  text.write(bytes.get());
                }
                bytes.position(bytes.limit());
                return true;
              }

              @Override
              public void onEnd(End how) {
                end.complete(how);
              }
            },
            deadline);
    try {
      Optional<RemoteException> broken =
          end.get(deadline.remainingNanos(), TimeUnit.NANOSECONDS).broken();
      if (broken.isPresent()) {
        throw broken.get();
      }
      return text.toString(StandardCharsets.UTF_8);
    } catch (TimeoutException e) {
      throw new RemoteException(Kind.TIMEOUT, "the sandbox's first command took too long", e);
    } catch (ExecutionException e) {
      throw new RemoteException(Kind.BROKEN, "the sandbox's first command failed", e);
    } finally {
      running.close();
    }
  }
}
