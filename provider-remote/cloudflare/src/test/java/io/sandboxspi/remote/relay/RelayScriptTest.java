package io.sandboxspi.remote.relay;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sandboxspi.core.posix.MarkScanner;
import io.sandboxspi.fake.LooseTerminal;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The relay's script in the shells that a sandbox may have, on a real terminal. */
@Execution(ExecutionMode.CONCURRENT)
class RelayScriptTest {
  private static final byte GS = 29;
  private static final String WORD = "word-of-a-test";
  private static final String SCRIPT = ProgramText.resource(Relays.class, "relay.sh");

  @TempDir Path directory;

  /** What came of a program. */
  private record Came(byte[] output, byte[] errors, boolean whole, List<String> left) {}

  /** Takes a relay's marks apart, and answers them. */
  private final class Reader implements LooseTerminal.Listener, MarkScanner.Sink {
    private final MarkScanner scanner = new MarkScanner(GS, WORD);
    private final ByteArrayOutputStream output = new ByteArrayOutputStream();
    private final ByteArrayOutputStream errors = new ByteArrayOutputStream();
    private final CompletableFuture<Boolean> ready = new CompletableFuture<>();
    private final CompletableFuture<Boolean> end = new CompletableFuture<>();
    private final CompletableFuture<Boolean> exit = new CompletableFuture<>();
    private ByteArrayOutputStream now = output;

    @Override
    public void onOutput(byte[] bytes) {
      scanner.feed(ByteBuffer.wrap(bytes), this);
    }

    @Override
    public void onExit() {
      exit.complete(true);
    }

    @Override
    public void data(ByteBuffer bytes) {
      if (ready.isDone()) {
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        now.writeBytes(copy);
      }
    }

    @Override
    public void mark(String text) {
      switch (text) {
        case "READY" -> ready.complete(true);
        case "E" -> now = errors;
        case "O" -> now = output;
        case "o", "e" -> acknowledge(text);
        case "END" -> end.complete(true);
        default -> ready.completeExceptionally(new AssertionError("mark " + text));
      }
    }

    private void acknowledge(String pipe) {
      try (FileChannel in =
          FileChannel.open(
              directory.resolve("id." + pipe), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
        in.write(ByteBuffer.wrap(new byte[] {'\n'}));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private Came run(String shell, String program, byte[]... pieces) throws Exception {
    String text =
        "__d_word="
            + WORD
            + " __d_dir="
            + directory
            + " __d_id=id __d_acks= __d_input="
            + (pieces.length > 0 ? "1" : "")
            + "\n__d_program() {\n"
            + ProgramText.of(Map.of(), List.of("sh", "-c", program))
            + "}\n"
            + SCRIPT;
    List<String> argv = new ArrayList<>(List.of(shell.split(" ")));
    argv.addAll(List.of("-c", "t=$T; unset T; eval \"$t\""));
    Reader reader = new Reader();
    LooseTerminal terminal =
        LooseTerminal.start(
            argv,
            Map.of("PATH", "/usr/local/bin:/usr/bin:/bin", "T", text),
            directory.toString(),
            80,
            24,
            reader);
    try {
      terminal.begin();
      reader.ready.get(30, TimeUnit.SECONDS);
      for (byte[] piece : pieces) {
        terminal.write((piece.length + "\n").getBytes(US_ASCII));
        terminal.write(piece);
      }
      if (pieces.length > 0) {
        terminal.write("0\n".getBytes(US_ASCII));
      }
      boolean whole = reader.end.get(60, TimeUnit.SECONDS);
      terminal.write(("\n" + WORD + "\n").getBytes(US_ASCII));
      reader.exit.get(30, TimeUnit.SECONDS);
      try (var files = Files.list(directory)) {
        return new Came(
            reader.output.toByteArray(),
            reader.errors.toByteArray(),
            whole,
            files.map(file -> file.getFileName().toString()).toList());
      }
    } finally {
      terminal.close();
    }
  }

  private static void are(Came came, byte[] output, byte[] errors) {
    assertThat(came.output()).as("output").isEqualTo(output);
    assertThat(came.errors()).as("errors").isEqualTo(errors);
    assertThat(came.whole()).isTrue();
    assertThat(came.left()).as("files left").isEmpty();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  private static byte[] numbers(int last) {
    return bytes(
        IntStream.rangeClosed(1, last).mapToObj(i -> i + "\n").collect(Collectors.joining()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"dash", "bash", "bash --posix", "busybox sh"})
  void streamsComeApartAndByteForByte(String shell) throws Exception {
    are(run(shell, "echo a; echo err >&2"), bytes("a\n"), bytes("err\n"));
    byte[] odd = {0, GS, (byte) 0xff};
    are(run(shell, "printf '\\000\\035\\377'; printf '\\000\\001' >&2"), odd, new byte[] {0, 1});
    are(run(shell, "printf '\\nx\\351' >&2"), bytes(""), new byte[] {'\n', 'x', (byte) 0xe9});
    are(run(shell, "exit 3"), bytes(""), bytes(""));
  }

  @ParameterizedTest
  @ValueSource(strings = {"dash", "bash", "busybox sh"})
  void muchOfBothComesWhole(String shell) throws Exception {
    are(run(shell, "seq 30000 & seq 30000 >&2; wait"), numbers(30_000), numbers(30_000));
    // As many pieces as are read at a time, and then the end.
    are(run(shell, "for i in $(seq 16); do echo $i; sleep 0.02; done"), numbers(16), bytes(""));
    byte[] zeros = new byte[300_000];
    are(run(shell, "head -c 300000 /dev/zero; head -c 300000 /dev/zero >&2"), zeros, zeros);
  }

  @ParameterizedTest
  @ValueSource(strings = {"dash", "bash", "busybox sh"})
  void inputGoesInByteForByteAndEnds(String shell) throws Exception {
    byte[] odd = bytes("hello\0\u0003\u0004\n");
    are(run(shell, "cat", odd, bytes("more")), bytes("hello\0\u0003\u0004\nmore"), bytes(""));
    byte[] many = new byte[3_000];
    Arrays.fill(many, (byte) 'x');
    are(run(shell, "sleep 0.1; wc -c", many), bytes("3000\n"), bytes(""));
    are(run(shell, "exec <&-; sleep 0.2; echo x", many, many), bytes("x\n"), bytes(""));
  }

  @ParameterizedTest
  @ValueSource(strings = {"dash", "bash", "busybox sh"})
  void theProgramFindsSignalsAndPathAsTheyWere(String shell) throws Exception {
    are(run(shell, "trap 'echo int' INT; kill -INT $$; echo b"), bytes("int\nb\n"), bytes(""));
    are(run(shell, "echo $PATH"), bytes("/usr/local/bin:/usr/bin:/bin\n"), bytes(""));
  }
}
