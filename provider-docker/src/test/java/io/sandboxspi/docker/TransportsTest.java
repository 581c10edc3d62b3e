package io.sandboxspi.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sandboxspi.Command;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExecResult;
import io.sandboxspi.ExitStatus;
import io.sandboxspi.PtyRequest;
import io.sandboxspi.PtyUpdate;
import io.sandboxspi.RunningCommand;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.Stdin;
import io.sandboxspi.TerminalSize;
import io.sandboxspi.YieldOptions;
import io.sandboxspi.docker.engine.Engine;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real engine over TCP and over TLS, and how it is found. */
class TransportsTest {
  @TempDir private Path directory;

  @BeforeEach
  void engine() {
    TestEngine.need(TestEngine.BUSYBOX);
  }

  @AfterEach
  void forget() {
    for (String name :
        new String[] {"DOCKER_HOST", "DOCKER_TLS_VERIFY", "DOCKER_CERT_PATH", "DOCKER_CONFIG"}) {
      System.clearProperty(name);
    }
  }

  private static void tls(Path certificates) {
    System.setProperty("DOCKER_TLS_VERIFY", "1");
    System.setProperty("DOCKER_CERT_PATH", certificates.toString());
  }

  @Test
  void everythingGoesOverTcp() throws Exception {
    try (FaultProxy relay = FaultProxy.tcp(TestEngine.socket())) {
      works(relay.address());
    }
  }

  @Test
  void everythingGoesOverTls() throws Exception {
    Certificates authority = new Certificates("authority");
    authority.writeClient(directory);
    tls(directory);
    try (TlsRelay relay = new TlsRelay(authority.server("127.0.0.1"), TestEngine.socket())) {
      works("tcp://127.0.0.1:" + relay.port());
    }
  }

  private static void works(String host) throws Exception {
    long sockets = DockerFixture.sockets();
    try (SandboxSession session = DockerFixture.open(Map.of("host", host))) {
      assertThat(DockerFixture.output(session, "echo over $((6*7))")).isEqualTo("over 42\n");
      ExecResult piped =
          session.exec(
              Command.shell("cat; echo tail; exit 3")
                  .stdin(Stdin.bytes("given\n".getBytes(java.nio.charset.StandardCharsets.UTF_8))));
      assertThat(piped.stdout().text()).isEqualTo("given\ntail\n");
      assertThat(piped.status()).isEqualTo(new ExitStatus.Exited(3));
      flood(session);
      byte[] content = new byte[3_000_000];
      new java.util.Random(7).nextBytes(content);
      session.files().write("d/file", content);
      assertThat(session.files().read("d/file")).isEqualTo(content);
      PtyUpdate pty =
          session
              .ptys()
              .start(
                  PtyRequest.of("sh")
                      .terminal(new TerminalSize(90, 20))
                      .collect(YieldOptions.forStart().quietAfter(Duration.ofMillis(300))));
      pty =
          session
              .ptys()
              .write(
                  pty.id(),
                  "stty size\n",
                  YieldOptions.forWrite().quietAfter(Duration.ofMillis(500)));
      assertThat(pty.output()).contains("20 90");
      assertThatThrownBy(
              () -> session.exec(Command.shell("sleep 60").timeout(Duration.ofMillis(500))))
          .isInstanceOfSatisfying(
              SandboxException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.EXEC_TIMEOUT));
    }
    // The relay of this test has some in this JVM too.
    assertThat(
            DockerFixture.until(Duration.ofSeconds(10), () -> DockerFixture.sockets() <= sockets))
        .as("sockets before %d, now %d", sockets, DockerFixture.sockets())
        .isTrue();
  }

  private static void flood(SandboxSession session) throws Exception {
    try (RunningCommand flood =
        session.start(Command.shell("head -c 8000000 /dev/zero; echo end >&2").streaming())) {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      long size = 0;
      try (InputStream out = flood.stdout()) {
        byte[] chunk = new byte[50_000];
        for (int n = out.read(chunk); n >= 0; n = out.read(chunk)) {
          digest.update(chunk, 0, n);
          size += n;
        }
      }
      assertThat(size).isEqualTo(8_000_000);
      assertThat(digest.digest())
          .isEqualTo(MessageDigest.getInstance("SHA-256").digest(new byte[8_000_000]));
      assertThat(flood.await(Duration.ofSeconds(20)).orElseThrow().status())
          .isEqualTo(new ExitStatus.Exited(0));
    }
  }

  /** Certificates of somebody else, or for another host, are one clear error. */
  @Test
  void aStrangersCertificateIsRefused() throws Exception {
    Certificates authority = new Certificates("authority");
    new Certificates("stranger").writeClient(directory);
    tls(directory);
    try (TlsRelay relay = new TlsRelay(authority.server("127.0.0.1"), TestEngine.socket())) {
      unreachable("tcp://127.0.0.1:" + relay.port());
    }
    authority.writeClient(directory);
    try (TlsRelay relay = new TlsRelay(authority.server("example.org"), TestEngine.socket())) {
      unreachable("tcp://127.0.0.1:" + relay.port());
    }
  }

  private static void unreachable(String host) {
    assertThatThrownBy(() -> DockerFixture.open(Map.of("host", host)))
        .isInstanceOfSatisfying(
            SandboxException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.TRANSPORT);
              assertThat(e.context()).containsEntry("failure", "UNREACHABLE");
            });
  }

  @Test
  void missingCertificatesAreOneClearError() throws Exception {
    tls(directory);
    assertThatThrownBy(() -> DockerFixture.open(Map.of("host", "tcp://127.0.0.1:1")))
        .isInstanceOfSatisfying(
            SandboxException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.PROVIDER_UNAVAILABLE);
              assertThat(e.getMessage()).contains("DOCKER_CERT_PATH");
            });
  }

  @Test
  void aDockerContextNamesTheEngine() throws Exception {
    try (FaultProxy relay = FaultProxy.tcp(TestEngine.socket())) {
      Files.writeString(directory.resolve("config.json"), "{\"currentContext\":\"relay\"}");
      String id =
          HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest("relay".getBytes()));
      Path meta = Files.createDirectories(directory.resolve("contexts/meta/" + id));
      Files.writeString(
          meta.resolve("meta.json"),
          "{\"Name\":\"relay\",\"Metadata\":{},\"Endpoints\":{\"docker\":{\"Host\":\""
              + relay.address()
              + "\",\"SkipTLSVerify\":false}}}");
      System.setProperty("DOCKER_CONFIG", directory.toString());
      assertThat(Engine.resolve(Optional.empty()).address()).hasToString(relay.address());
      System.setProperty("DOCKER_HOST", "tcp://127.0.0.1:9");
      assertThat(Engine.resolve(Optional.empty()).address()).hasToString("tcp://127.0.0.1:9");
    }
  }
}
