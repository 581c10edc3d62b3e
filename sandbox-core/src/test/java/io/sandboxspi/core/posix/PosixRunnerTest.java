package io.sandboxspi.core.posix;

import static org.assertj.core.api.Assertions.assertThat;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExitStatus;
import io.sandboxspi.core.pty.Within;
import io.sandboxspi.spi.LaunchId;
import io.sandboxspi.spi.LaunchRequest;
import io.sandboxspi.spi.TerminationOutcome;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Runs real programs one after another below a kept process, under every shell. */
@Tag("S-POSIX-10")
class PosixRunnerTest {
  /** One output, read until its mark or its end. */
  private static final class Output {
    private final InputStream in;

    Output(InputStream in) {
      this.in = in;
    }

    /**
     * What came before a mark with this word, which is left in {@code marks}; or all, at the end.
     */
    String until(String word, StringBuilder marks) throws IOException {
      ByteArrayOutputStream data = new ByteArrayOutputStream();
      MarkScanner scanner = new MarkScanner(word);
      MarkScanner.Sink sink =
          new MarkScanner.Sink() {
            @Override
            public void data(ByteBuffer bytes) {
              while (bytes.hasRemaining()) {
                data.write(bytes.get());
              }
            }

            @Override
            public void mark(String text) {
              marks.append(text);
            }
          };
      for (int next = in.read(); next >= 0; next = in.read()) {
        scanner.feed(ByteBuffer.wrap(new byte[] {(byte) next}), sink);
        if (!marks.isEmpty()) {
          return data.toString(StandardCharsets.UTF_8);
        }
      }
      scanner.finish(sink);
      return data.toString(StandardCharsets.UTF_8);
    }
  }

  /** A kept process, which another takes the place of once it has ended. */
  private static final class Kept {
    private final Bed bed;
    private LaunchId name = LaunchId.random();
    private Process process;
    private PosixRunner runner;
    private Output out;
    private Output error;
    private LaunchId mark = LaunchId.random();

    Kept(Bed bed) throws Exception {
      this.bed = bed;
      begin();
    }

    private void begin() throws Exception {
      name = LaunchId.random();
      runner = PosixRunner.of(bed.state, name);
      process = bed.piped(runner.argv());
      out = new Output(process.getInputStream());
      error = new Output(process.getErrorStream());
    }

    /** Whether it waits; false when it has ended. */
    boolean ready() throws Exception {
      StringBuilder marks = new StringBuilder();
      try {
        write(runner.ready());
        Within.get(Within.start(() -> out.until(name.value(), marks)).result());
      } catch (IOException ended) {
        return false;
      }
      return marks.toString().equals("WAITING");
    }

    void write(byte[] bytes) throws IOException {
      process.getOutputStream().write(bytes);
      process.getOutputStream().flush();
    }

    /** Gives it a launch; what it announces. */
    LaunchReport launch(LaunchRequest request, String workdir) throws Exception {
      if (!ready()) {
        begin();
        assertThat(ready()).isTrue();
      }
      mark = LaunchId.random();
      write(runner.launch(mark, request, workdir));
      StringBuilder marks = new StringBuilder();
      Object unused =
          Within.get(Within.start(() -> out.until(request.id().value(), marks)).result());
      return LaunchReport.parse(marks.toString()).orElseThrow();
    }

    /** What it wrote until its end, by a mark or by the end of the outputs. */
    Said end(LaunchRequest request) throws Exception {
      StringBuilder how = new StringBuilder();
      StringBuilder also = new StringBuilder();
      String text = Within.get(Within.start(() -> out.until(mark.value(), how)).result());
      String errors = Within.get(Within.start(() -> error.until(mark.value(), also)).result());
      assertThat(also.isEmpty()).isEqualTo(how.isEmpty());
      LaunchReport report =
          LaunchReport.parse(how.toString()).orElseGet(() -> bed.status(request.id()));
      return new Said(
          text,
          errors,
          report instanceof LaunchReport.Ended ended
              ? Optional.of(ended.status())
              : Optional.empty(),
          !how.isEmpty());
    }

    Said run(LaunchRequest request) throws Exception {
      assertThat(launch(request, "/")).isInstanceOf(LaunchReport.Started.class);
      return end(request);
    }
  }

  private record Said(String out, String error, Optional<ExitStatus> status, boolean marked) {}

  @ParameterizedTest
  @EnumSource
  void programsRunOneAfterAnother(World world) throws Exception {
    try (Bed bed = new Bed(world)) {
      Kept kept = new Kept(bed);
      for (int i = 0; i < 3; i++) {
        LaunchRequest request =
            bed.script("echo out; echo err >&2; printf '\\036'; cat; exit " + i);
        Said said = kept.run(request);
        assertThat(said.out()).isEqualTo("out\n\u001e");
        assertThat(said.error()).isEqualTo("err\n");
        assertThat(said.status()).contains(new ExitStatus.Exited(i));
      }
      LaunchRequest variables =
          bed.request(
              Map.of("A", "it's \"$x\"\n", "IFS", ":", "LD_SANDBOX", "1"),
              bed.state.shell(),
              "-c",
              "printf '<%s>' \"$A\" \"$LD_SANDBOX\" \"$SANDBOX_PROCESS\" \"$@\"",
              "x",
              "a'b\\",
              "");
      assertThat(kept.run(variables).out())
          .isEqualTo("<it's \"$x\"\n><1><" + variables.id() + "><a'b\\><>");
    }
  }

  @ParameterizedTest
  @EnumSource
  void signalsAreToldFromCodes(World world) throws Exception {
    try (Bed bed = new Bed(world)) {
      Kept kept = new Kept(bed);
      assertThat(kept.run(bed.script("kill -9 $$")).status()).contains(new ExitStatus.Signalled(9));
      assertThat(kept.run(bed.script("exit 137")).status()).contains(new ExitStatus.Exited(137));
    }
  }

  @ParameterizedTest
  @EnumSource
  void eachLeadsASessionOfItsOwn(World world) throws Exception {
    try (Bed bed = new Bed(world)) {
      Kept kept = new Kept(bed);
      LaunchRequest request =
          bed.script("read -r line </proc/$$/stat; set -- ${line##*) }; echo $$ $3 $4");
      String[] numbers = kept.run(request).out().strip().split(" ");
      assertThat(numbers[1]).isEqualTo(numbers[0]);
      assertThat(numbers[2]).isEqualTo(numbers[0]);
      assertThat(numbers[0]).isNotEqualTo(String.valueOf(kept.process.pid()));
    }
  }

  @ParameterizedTest
  @EnumSource
  void whatCannotStartIsTyped(World world) throws Exception {
    try (Bed bed = new Bed(world)) {
      Kept kept = new Kept(bed);
      LaunchRequest missing = bed.request("no-such-program");
      assertThat(kept.launch(missing, "/"))
          .isEqualTo(new LaunchReport.Failed(ErrorCode.COMMAND_NOT_FOUND, "program"));
      assertThat(kept.end(missing).out()).isEmpty();
      LaunchRequest nowhere = bed.script("echo no");
      assertThat(kept.launch(nowhere, bed.root + "/nowhere"))
          .isEqualTo(new LaunchReport.Failed(ErrorCode.WORKING_DIRECTORY_NOT_FOUND, "directory"));
      assertThat(kept.end(nowhere).out()).isEmpty();
      LaunchRequest killed = bed.script("echo no");
      assertThat(bed.kill(killed.id()).get(killed.id()))
          .isEqualTo(TerminationOutcome.alreadyGone());
      assertThat(kept.launch(killed, "/")).isEqualTo(LaunchReport.Refused.INSTANCE);
      assertThat(kept.end(killed).out()).isEmpty();
      LaunchRequest once = bed.script("echo once");
      assertThat(kept.run(once).out()).isEqualTo("once\n");
      assertThat(kept.launch(once, "/")).isInstanceOf(LaunchReport.Failed.class);
    }
  }

  /** Whoever still has the outputs keeps them, and no later launch has them too. */
  @ParameterizedTest
  @EnumSource
  void outputsThatSomebodyHasAreNotUsedAgain(World world) throws Exception {
    try (Bed bed = new Bed(world)) {
      Kept kept = new Kept(bed);
      String gate = bed.root.resolve("gate").toString();
      LaunchRequest request =
          bed.script(
              "( while [ ! -e " + gate + " ]; do sleep 0.02; done; echo late ) & echo early");
      assertThat(kept.launch(request, "/")).isInstanceOf(LaunchReport.Started.class);
      Within.until(() -> !kept.process.isAlive());
      Files.createFile(bed.root.resolve("gate"));
      // What comes late is lost to this JVM, which lets go of a pipe when its process has ended.
      Said said = kept.end(request);
      assertThat(said.out()).isEqualTo("early\n");
      assertThat(said.marked()).isFalse();
      assertThat(said.status()).contains(new ExitStatus.Exited(0));
    }
  }

  @ParameterizedTest
  @EnumSource
  void aProgramMayHaveTheInput(World world) throws Exception {
    try (Bed bed = new Bed(world)) {
      Kept kept = new Kept(bed);
      LaunchRequest plain = bed.script("read -r line; echo \"<$line>\"; exit 3");
      LaunchRequest request =
          new LaunchRequest(
              plain.id(), plain.argv(), Map.of(), Optional.empty(), Optional.empty(), true);
      assertThat(kept.launch(request, "/")).isInstanceOf(LaunchReport.Started.class);
      kept.write("one\nsandbox_take\n".getBytes(StandardCharsets.UTF_8));
      Said said = kept.end(request);
      assertThat(said.out()).isEqualTo("<one>\n");
      assertThat(said.status()).contains(new ExitStatus.Exited(3));
      Within.until(() -> !kept.process.isAlive());
    }
  }

  @ParameterizedTest
  @EnumSource
  void aKillEndsTheTreeAndTheRunner(World world) throws Exception {
    try (Bed bed = new Bed(world)) {
      Kept kept = new Kept(bed);
      LaunchRequest request = bed.script("sleep 300 & setsid sleep 301 & sleep 302");
      assertThat(kept.launch(request, "/")).isInstanceOf(LaunchReport.Started.class);
      assertThat(bed.kill(request.id()).get(request.id()))
          .isEqualTo(TerminationOutcome.confirmed());
      assertThat(kept.end(request).marked()).isFalse();
      Within.until(() -> !kept.process.isAlive());
      try (var left = Files.list(bed.root.resolve("state"))) {
        String mine = kept.name.value();
        assertThat(left).noneMatch(file -> file.getFileName().toString().startsWith(mine));
      }
      assertThat(kept.run(bed.script("echo next")).out()).isEqualTo("next\n");
    }
  }

  @ParameterizedTest
  @EnumSource
  void aRunnerEndsWithItsInputAndLeavesNothing(World world) throws Exception {
    try (Bed bed = new Bed(world)) {
      Kept kept = new Kept(bed);
      assertThat(kept.ready()).isTrue();
      kept.process.getOutputStream().close();
      Within.until(() -> !kept.process.isAlive());
      try (var left = Files.list(bed.root.resolve("state"))) {
        assertThat(left).isEmpty();
      }
    }
  }
}
