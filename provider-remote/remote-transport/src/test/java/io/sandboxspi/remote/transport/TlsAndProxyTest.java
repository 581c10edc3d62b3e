package io.sandboxspi.remote.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.fake.support.SelfSigned;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.spi.Deadline;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TlsAndProxyTest {
  @TempDir Path dir;

  private static HttpTransport with(ClientOptions options) {
    return HttpTransport.of(options, RetryPolicy.NONE, ErrorBody::common);
  }

  private static Deadline soon() {
    return Deadline.after(Duration.ofSeconds(10));
  }

  @Test
  void aCertificateOfAFileIsTrustedAndAnUnknownOneIsNot() throws Exception {
    SelfSigned key = SelfSigned.in(dir);
    Path ca = key.certificate();
    try (TestServer server = new TestServer(key.keys())) {
      HttpCall call = HttpCall.of("asking", "GET", server.on("/", x -> x.write("{}")));
      RemoteException failure =
          catchThrowableOfType(
              RemoteException.class, () -> with(ClientOptions.defaults("test")).call(call, soon()));
      assertThat(failure.kind()).isEqualTo(Kind.TLS);
      assertThat(failure.retryable()).isEqualTo(Retryable.NO);
      assertThat(with(ClientOptions.defaults("test").caFile(ca)).call(call, soon()).object())
          .isEmpty();
    }
  }

  @Test
  void aCaFileThatIsNoneIsRefused() throws Exception {
    Path text = Files.writeString(dir.resolve("text"), "hello");
    for (Path file :
        List.of(text, dir.resolve("missing"), Files.createFile(dir.resolve("empty")))) {
      assertThat(catchThrowable(() -> with(ClientOptions.defaults("test").caFile(file))))
          .isInstanceOf(SandboxException.class)
          .hasMessageContaining("CA file");
    }
  }

  @Test
  void aProxyIsAskedForTheWholeAddress() throws Exception {
    try (TestServer proxy = new TestServer()) {
      proxy.on("/path", x -> x.write("{\"host\":\"" + x.request().getHttpURI().getHost() + "\"}"));
      HttpTransport transport =
          with(
              ClientOptions.defaults("test")
                  .proxy(URI.create("http://localhost:" + proxy.uri("/").getPort())));
      HttpReply reply =
          transport.call(
              HttpCall.of("asking", "GET", URI.create("http://sandbox.invalid/path")), soon());
      assertThat(reply.object().path("host").asText()).isEqualTo("sandbox.invalid");
    }
  }

  @Test
  void aProxyOfAnotherFormIsRefusedWithoutShowingIt() {
    for (String bad : List.of("http://user:pass@host:1", "socks://host:1", "http://host")) {
      assertThat(catchThrowable(() -> ClientOptions.defaults("test").proxy(URI.create(bad))))
          .isInstanceOf(SandboxException.class)
          .hasMessageNotContaining("pass");
    }
  }

  @Test
  void secretsAreNotShown() {
    Secret secret = Secret.of("key", "abc");
    assertThat(secret).hasToString("***").isEqualTo(Secret.of("other", "abc"));
    for (String bad : List.of("", "a b", "a\nb", "é")) {
      Throwable refused = catchThrowable(() -> Secret.of("key", bad));
      assertThat(refused).isInstanceOf(SandboxException.class).hasMessageContaining("key");
      assertThat(bad.isEmpty() || !String.valueOf(refused.getMessage()).contains(bad)).isTrue();
    }
  }
}
