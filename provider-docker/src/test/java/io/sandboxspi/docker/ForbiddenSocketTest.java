package io.sandboxspi.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import io.sandboxspi.SandboxException;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.Deadline;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A socket that one may not use. Needs no engine; as root, util-linux's setpriv. */
class ForbiddenSocketTest {
  /** In a JVM of its own, where root has not the right to pass over permissions. */
  static final class Caller {
    private Caller() {}

    public static void main(String[] arguments) throws Exception {
      DockerProvider provider = new DockerProvider();
      try {
        provider.create(
            new BackendRequest("x", Map.of("image", "x", "pull", "never", "host", arguments[0])),
            Deadline.after(Duration.ofSeconds(5)));
      } catch (SandboxException e) {
        System.out.println(e.code() + " " + e.context().get("failure") + " " + e.getMessage());
      }
      System.out.println(provider.availability());
    }
  }

  @Test
  void oneErrorSaysSo(@TempDir Path directory) throws Exception {
    Path socket = directory.resolve("s");
    List<String> argv = new ArrayList<>();
    if ("root".equals(System.getProperty("user.name"))) {
      if (!Files.isExecutable(Path.of("/usr/bin/setpriv"))) {
        if (System.getenv("SANDBOX_CI") != null) {
          fail("needs setpriv");
        }
        Assumptions.abort("needs setpriv");
      }
      argv.addAll(List.of("setpriv", "--bounding-set=-dac_override,-dac_read_search"));
    }
    argv.addAll(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            Caller.class.getName(),
            "unix://" + socket));
    try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(socket));
      Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("---------"));
      ProcessBuilder builder = new ProcessBuilder(argv);
      builder.environment().put("DOCKER_HOST", "unix://" + socket);
      Process process = builder.redirectErrorStream(true).start();
      String said = new String(process.getInputStream().readAllBytes());
      assertThat(process.waitFor()).as(said).isZero();
      assertThat(said)
          .contains("TRANSPORT UNREACHABLE ")
          .contains("there is no permission on unix://" + socket)
          .contains("no permission on " + socket + ": join its group, usually docker");
    }
  }
}
