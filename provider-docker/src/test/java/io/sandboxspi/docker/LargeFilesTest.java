package io.sandboxspi.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sandboxspi.Command;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.RunningCommand;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.docker.FaultProxy.Action;
import io.sandboxspi.docker.FaultProxy.Fault;
import io.sandboxspi.spi.BackendFiles;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.LaunchId;
import io.sandboxspi.spi.LaunchRequest;
import io.sandboxspi.spi.SandboxBackend;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Large files go as archives of the engine where it sees what the container sees. */
class LargeFilesTest {
  private static final String PUT = "PUT /containers/[^/]*/archive";
  private static final String GET = "GET /containers/[^/]*/archive";

  @TempDir private Path directory;
  private final byte[] content = new byte[5_000_001];
  private FaultProxy proxy;

  @BeforeEach
  void begin() throws Exception {
    TestEngine.need(TestEngine.BUSYBOX);
    new Random(7).nextBytes(content);
    proxy = FaultProxy.unix(TestEngine.socket());
  }

  @AfterEach
  void end() throws Exception {
    proxy.close();
  }

  private SandboxSession open(String option, String value) throws Exception {
    Map<String, String> options = new HashMap<>(Map.of("host", proxy.address()));
    options.put(option, value);
    return DockerFixture.open(options);
  }

  private SandboxSession open() throws Exception {
    return open("image", TestEngine.BUSYBOX);
  }

  private long made(String request) {
    return proxy.requests().stream().filter(line -> line.matches(request + ".*")).count();
  }

  /** Whichever way it goes: the bytes, the owner and the mode are right, and nothing is left. */
  @ParameterizedTest
  @CsvSource({
    "image,sandbox-test:debian,true",
    "volumes,:/workspace,true",
    "tmpfs,/workspace:64m,false",
    "user,1000:1000,false"
  })
  void aLargeFileGoesAndComes(String option, String value, boolean archived) throws Exception {
    TestEngine.need(option.equals("image") ? value : TestEngine.BUSYBOX);
    Path source = Files.write(directory.resolve("source"), content);
    try (SandboxSession session = open(option, value)) {
      String owner = DockerFixture.output(session, "mkdir d; : >d/f; chmod 0750 d/f; id -u");
      long put = made(PUT);
      long got = made(GET);
      session.files().write("d/f", content);
      assertThat(DockerFixture.output(session, "stat -c '%a %s %u' d/f; ls -A d"))
          .isEqualTo("750 5000001 " + owner + "f\n");
      session.files().upload(source, "up");
      assertThat(Arrays.equals(session.files().read("d/f"), content)).isTrue();
      Path back = directory.resolve("back");
      session.files().download("up", back);
      assertThat(Files.mismatch(source, back)).isEqualTo(-1);
      assertThat(DockerFixture.output(session, "ls -A")).isEqualTo("d\nup\n");
      assertThat(List.of(made(PUT) - put, made(GET) - got))
          .isEqualTo(archived ? List.of(2L, 2L) : List.of(0L, option.equals("tmpfs") ? 2L : 0L));
    }
  }

  /** An engine that is lost on the way: the old file stays. */
  @Test
  void anEngineThatIsLostOnTheWayLeavesTheOldFile() throws Exception {
    try (SandboxSession session = open()) {
      session.files().write("f", new byte[] {'o'});
      Fault fault = proxy.on(PUT, Action.CUT_AFTER, 0);
      assertThatThrownBy(() -> session.files().write("f", content))
          .isInstanceOfSatisfying(
              SandboxException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TRANSPORT));
      fault.end();
      assertThat(DockerFixture.output(session, "cat f; ls -A")).isEqualTo("of\n");
    }
  }

  private interface BackendWork {
    void with(SandboxBackend backend) throws Exception;
  }

  private static void withBackend(String host, BackendWork work) throws Exception {
    DockerProvider provider = new DockerProvider();
    Map<String, String> options =
        new HashMap<>(Map.of("image", TestEngine.BUSYBOX, "pull", "never", "network", "none"));
    options.put("host", host);
    SandboxBackend backend =
        provider.create(new BackendRequest("large", options), DockerFixture.seconds(30));
    try {
      work.with(backend);
    } finally {
      assertThat(provider.delete(backend.ref(), DockerFixture.seconds(20))).isNotNull();
    }
  }

  @Test
  void aContentThatEndsEarlyLeavesTheOldFile() throws Exception {
    withBackend(
        proxy.address(),
        backend -> {
          BackendFiles files = backend.files();
          files.write("f", new ByteArrayInputStream(new byte[1]), DockerFixture.seconds(20));
          assertThatThrownBy(
                  () ->
                      files.write(
                          "f",
                          new ByteArrayInputStream(content),
                          content.length + 1,
                          DockerFixture.seconds(20)))
              .isInstanceOfSatisfying(
                  SandboxException.class,
                  e -> {
                    assertThat(e.code()).isEqualTo(ErrorCode.FILE_FAILED);
                    assertThat(e.getMessage()).contains("its new content cannot be read");
                  });
          assertThat(files.list(".", DockerFixture.seconds(20)))
              .singleElement()
              .satisfies(info -> assertThat(info.size()).isEqualTo(1));
        });
  }

  /** While the engine takes a file it makes no process: one that must be ended goes first. */
  @Test
  void aKillEndsATransferThatIsInItsWay() throws Exception {
    withBackend(
        proxy.address(),
        backend -> {
          BackendFiles files = backend.files();
          files.makeDirectories("warm", DockerFixture.seconds(20));
          LaunchId id = LaunchId.random();
          Object unusedHandle =
              backend.launch(
                  new LaunchRequest(
                      id,
                      List.of("sleep", "300"),
                      Map.of(),
                      Optional.empty(),
                      Optional.empty(),
                      false),
                  new Heard(),
                  DockerFixture.seconds(20));
          CountDownLatch half = new CountDownLatch(1);
          CountDownLatch go = new CountDownLatch(1);
          InputStream slow =
              new SequenceInputStream(
                  new ByteArrayInputStream(content),
                  new InputStream() {
                    @Override
                    public int read() throws IOException {
                      half.countDown();
                      try {
                        go.await();
                      } catch (InterruptedException e) {
                        throw new IOException(e);
                      }
                      return 'x';
                    }
                  });
          CompletableFuture<Throwable> write = new CompletableFuture<>();
          Thread writer =
              new Thread(
                  () -> {
                    try {
                      files.write("f", slow, content.length + 100, DockerFixture.seconds(60));
                      write.complete(new AssertionError("written"));
                    } catch (InterruptedException | RuntimeException e) {
                      write.complete(e);
                    }
                  },
                  "writer");
          writer.start();
          assertThat(half.await(20, TimeUnit.SECONDS)).isTrue();
          // The first shell, that of kills.
          proxy.freezeFirst("POST /exec/[^/]*/start");
          assertThat(backend.kill(id, DockerFixture.seconds(10)).proven()).isTrue();
          go.countDown();
          assertThat(write.get(20, TimeUnit.SECONDS)).isInstanceOf(SandboxException.class);
          assertThat(files.list(".", DockerFixture.seconds(20))).hasSize(1);
        });
  }

  /** A part of a file is never taken for all of it; nobody waits for an engine that is silent. */
  @Test
  void aReadThatIsCutOrStalledIsNoShortFile() throws Exception {
    SandboxSession session = open();
    session.files().write("f", content);
    Fault cut = proxy.on(GET, Action.CUT_AFTER, 1_000_000);
    try (InputStream in = session.files().open("f")) {
      assertThatThrownBy(in::readAllBytes).isInstanceOf(IOException.class);
    }
    cut.end();
    Fault stalled = proxy.on(GET, Action.STALL_AFTER, 1_000_000);
    InputStream in = session.files().open("f");
    CompletableFuture<byte[]> read =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return in.readAllBytes();
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
    assertThat(stalled.awaitMet()).isTrue();
    CompletableFuture<Boolean> over =
        CompletableFuture.supplyAsync(
            () -> {
              session.close();
              return true;
            });
    assertThatThrownBy(() -> read.get(10, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class);
    // The relay still reads from the engine, which removes nothing meanwhile.
    stalled.end();
    assertThat(over.get(20, TimeUnit.SECONDS)).isTrue();
    in.close();
  }

  /** What nobody reads keeps the engine from nothing, and is whole all the same. */
  @Test
  void aSlowReaderKeepsNobodyFromTheContainer() throws Exception {
    byte[] larger = new byte[30_000_000];
    new Random(8).nextBytes(larger);
    try (SandboxSession session = open("spares", "0")) {
      session.files().write("f", larger);
      try (InputStream in = session.files().open("f")) {
        byte[] begin = in.readNBytes(10);
        assertThat(DockerFixture.output(session, "echo usable")).isEqualTo("usable\n");
        byte[] rest = in.readAllBytes();
        assertThat(Arrays.equals(rest, Arrays.copyOfRange(larger, begin.length, larger.length)))
            .isTrue();
      }
      try (InputStream left = session.files().open("f")) {
        assertThat(left.read()).isEqualTo(larger[0] & 0xff);
      }
    }
    assertThat(DockerFixture.until(Duration.ofSeconds(10), () -> DockerFixture.threads().isEmpty()))
        .as("threads %s", DockerFixture.threads())
        .isTrue();
  }

  /** A writer that is stalled is freed by the session's end. */
  @Test
  void aWriteToASilentEngineEndsWithItsSession() throws Exception {
    SandboxSession session = open();
    Fault stalled = proxy.on(PUT, Action.STALL_ANSWER, 0);
    CompletableFuture<Throwable> thrown = new CompletableFuture<>();
    Thread writer =
        new Thread(
            () -> {
              try {
                session.files().write("f", content);
                thrown.complete(new AssertionError("written"));
              } catch (InterruptedException | RuntimeException e) {
                thrown.complete(e);
              }
            },
            "writer");
    writer.start();
    assertThat(stalled.awaitMet()).isTrue();
    session.close();
    assertThat(thrown.get(10, TimeUnit.SECONDS)).isInstanceOf(SandboxException.class);
  }

  /** A file that grows is read as it was at some time. */
  @Test
  void aFileThatGrowsIsRead() throws Exception {
    try (SandboxSession session = open()) {
      session.files().write("f", content);
      try (RunningCommand growing =
          session.start(Command.shell("while :; do echo more >>f; sleep 0.01; done"))) {
        byte[] seen = session.files().read("f");
        assertThat(seen.length).isGreaterThanOrEqualTo(content.length);
        assertThat(Arrays.equals(seen, 0, content.length, content, 0, content.length)).isTrue();
        assertThat(growing.await(Duration.ofMillis(1))).isEmpty();
      }
    }
  }
}
