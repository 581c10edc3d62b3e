package io.sandboxspi.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.SandboxException;
import io.sandboxspi.spi.BackendRef;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.Deadline;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Engines that take connections and never answer, or are not there. Needs no engine. */
class SilentEngineTest {
  private static final Duration LIMIT = Duration.ofMillis(700);
  private static final Duration BOUND = Duration.ofSeconds(5);

  @TempDir private Path directory;
  private final DockerProvider provider = new DockerProvider();

  private static Deadline limit() {
    return Deadline.after(LIMIT);
  }

  private static BackendRequest request(String host) {
    return new BackendRequest("silent", Map.of("image", "x", "pull", "never", "host", host));
  }

  private static BackendRef ref(String host) {
    return new BackendRef("docker", Map.of("host", host, "container", "0123456789abcdef"));
  }

  private interface Call {
    Object make(String host) throws Exception;
  }

  private void fails(String host, ErrorCode code, Call call) throws Exception {
    Duration took =
        DockerFixture.timed(
            () -> {
              assertThatThrownBy(() -> call.make(host))
                  .isInstanceOfSatisfying(
                      SandboxException.class, e -> assertThat(e.code()).isEqualTo(code));
              return true;
            });
    assertThat(took).isLessThan(BOUND);
  }

  private void allFail(String host, ErrorCode code) throws Exception {
    fails(host, code, h -> provider.create(request(h), limit()));
    fails(host, code, h -> provider.attach(ref(h), limit()));
    fails(host, ErrorCode.BACKEND_RELEASE_FAILED, h -> provider.delete(ref(h), limit()));
  }

  @Test
  void aSilentUnixSocketIsBounded() throws Exception {
    Path socket = directory.resolve("s");
    try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(socket));
      allFail("unix://" + socket, ErrorCode.BACKEND_UNRESPONSIVE);
    }
  }

  @Test
  void aSilentPortIsBounded() throws Exception {
    try (ServerSocketChannel server = ServerSocketChannel.open()) {
      server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      int port = ((InetSocketAddress) server.getLocalAddress()).getPort();
      allFail("tcp://127.0.0.1:" + port, ErrorCode.BACKEND_UNRESPONSIVE);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"unix:///nowhere/docker.sock", "tcp://127.0.0.1:1"})
  void aMissingEngineIsSaidAtOnce(String host) throws Exception {
    allFail(host, ErrorCode.TRANSPORT);
  }

  @ParameterizedTest
  @ValueSource(strings = {"nonsense", "ssh://host", "unix://relative"})
  void anAddressThatCannotBeUsedSaysSo(String host) throws Exception {
    fails(host, ErrorCode.PROVIDER_UNAVAILABLE, h -> provider.create(request(h), limit()));
  }

  @Test
  void anInterruptFreesACall() throws Exception {
    Path socket = directory.resolve("s");
    try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(socket));
      AtomicReference<Throwable> thrown = new AtomicReference<>();
      Function<String, Thread> caller =
          host ->
              new Thread(
                  () -> {
                    try {
                      provider.create(request(host), Deadline.after(Duration.ofMinutes(1)));
                    } catch (InterruptedException | RuntimeException e) {
                      thrown.set(e);
                    }
                  },
                  "silent-caller");
      Thread thread = caller.apply("unix://" + socket);
      thread.start();
      server.accept().configureBlocking(false);
      thread.interrupt();
      // Bounded by the discard of what may have been made.
      thread.join(15_000);
      assertThat(thread.isAlive()).isFalse();
      assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
    }
  }
}
