package io.sandboxspi.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sandboxspi.tck.Rule;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RunTest {
  @Test
  @Rule("S-CLI-01")
  void passesOutputErrorsAndExitCodeThrough() throws Exception {
    CliProcess.Result result =
        CliProcess.run("run", "--", "sh", "-c", "echo $((6*7)); echo oops >&2; exit 3");

    assertThat(result).isEqualTo(new CliProcess.Result(3, "42\n", "oops\n"));
  }

  @Test
  @Rule("S-CLI-01")
  void optionsEndWhereTheCommandBegins() throws Exception {
    CliProcess.Result result = CliProcess.run("run", "echo", "--timeout", "--", "-x");

    assertThat(result).isEqualTo(new CliProcess.Result(0, "--timeout -- -x\n", ""));
  }

  @Test
  @Rule("S-CLI-01")
  void argumentsReachTheCommandUnchanged() throws Exception {
    String[] odd = {"@/etc/passwd", "", "a b", "'", "\"", "$HOME", "*", "--", "-h", "ü\n"};
    List<String> arguments = new ArrayList<>(List.of("run", "--", "printf", "<%s>"));
    arguments.addAll(List.of(odd));

    CliProcess.Result result = CliProcess.run(arguments.toArray(String[]::new));

    assertThat(result.out()).isEqualTo("<" + String.join("><", odd) + ">");
  }

  @Test
  @Rule("S-CLI-01")
  void forwardsPipedInputWithItsEnd() throws Exception {
    String numbers =
        IntStream.range(0, 200_000).mapToObj(Integer::toString).collect(Collectors.joining("\n"));

    CliProcess.Result result =
        CliProcess.run(numbers.getBytes(StandardCharsets.UTF_8), "run", "--", "cat");

    assertThat(result.out()).isEqualTo(numbers);
    assertThat(result.code()).isZero();
  }

  @Test
  @Rule("S-CLI-01")
  void forwardsInputAsItComes() throws Exception {
    try (CliProcess cli =
        CliProcess.start(Map.of(), "run", "--", "sh", "-c", "read line; echo got $line")) {
      cli.input().write("hello\n".getBytes(StandardCharsets.UTF_8));
      cli.input().flush();

      assertThat(cli.end()).isEqualTo(new CliProcess.Result(0, "got hello\n", ""));
    }
  }

  @Test
  @Rule("S-CLI-01")
  void endsWithTheCommandAlthoughInputStaysOpen() throws Exception {
    try (CliProcess cli = CliProcess.start(Map.of(), "run", "--", "true")) {
      assertThat(cli.end().code()).isZero();
    }
  }

  @Test
  @Rule("S-CLI-01")
  void readsNothingWhenInputIsClosedOrTheNullDevice() throws Exception {
    assertThat(CliProcess.script("\"$@\" run -- cat </dev/null"))
        .isEqualTo(new CliProcess.Result(0, "", ""));
    assertThat(CliProcess.script("\"$@\" run -- cat <&-"))
        .isEqualTo(new CliProcess.Result(0, "", ""));
  }

  @Test
  @Rule("S-CLI-01")
  void endsQuietlyWhenNobodyReadsItsOutput() throws Exception {
    CliProcess.Result result = CliProcess.script("{ \"$@\" run -- yes; echo $? >&2; } | head -n 1");

    assertThat(result).isEqualTo(new CliProcess.Result(0, "y\n", "141\n"));
  }

  @Test
  @Rule("S-CLI-01")
  void losesNothingToASlowReader() throws Exception {
    CliProcess.Result result =
        CliProcess.script("\"$@\" run -- seq 1 300000 | { sleep 3; wc -l; }");

    assertThat(result.out().strip()).isEqualTo("300000");
  }

  @Test
  @Rule("S-CLI-01")
  void saysWhyOutputCannotBeWritten() throws Exception {
    CliProcess.Result result = CliProcess.script("\"$@\" run -- echo x >/dev/full");

    assertThat(result.code()).isEqualTo(125);
    assertThat(result.err()).startsWith("sandbox: cannot write the output").hasLineCount(1);
  }

  @Test
  @Rule("S-CLI-01")
  void killsAtItsTimeout() throws Exception {
    CliProcess.Result result =
        CliProcess.run("run", "--timeout", "500ms", "--", "sh", "-c", "echo first; sleep 100");

    assertThat(result.code()).isEqualTo(124);
    assertThat(result.out()).isEqualTo("first\n");
    assertThat(result.err()).contains("500 ms").hasLineCount(1);
  }

  @Test
  @Rule("S-CLI-01")
  void saysThatAProgramIsMissing() throws Exception {
    CliProcess.Result result = CliProcess.run("run", "--", "no-such-program");

    assertThat(result.code()).isEqualTo(127);
    assertThat(result.err()).startsWith("sandbox: ").contains("no-such-program").hasLineCount(1);
  }

  @Test
  @Rule("S-CLI-01")
  void saysThatAProgramCannotBeExecuted() throws Exception {
    CliProcess.Result result = CliProcess.run("run", "--", "/etc/passwd");

    assertThat(result.code()).isEqualTo(126);
    assertThat(result.err()).startsWith("sandbox: ").contains("/etc/passwd").hasLineCount(1);
  }

  @Test
  @Rule("S-CLI-01")
  void aMissingDirectoryIsTheSandboxsFailure() throws Exception {
    CliProcess.Result result = CliProcess.run("run", "--workdir", "/no/such/place", "--", "true");

    assertThat(result.code()).isEqualTo(125);
    assertThat(result.err()).startsWith("sandbox: ").contains("/no/such/place").hasLineCount(1);
  }

  @Test
  @Rule("S-CLI-01")
  void aSignalOfTheCommandIs128AndItsNumber() throws Exception {
    assertThat(CliProcess.run("run", "--", "sh", "-c", "kill -KILL $$"))
        .isEqualTo(new CliProcess.Result(137, "", ""));
  }

  @Test
  @Rule("S-CLI-01")
  void forwardsPipedInputToATerminal() throws Exception {
    CliProcess.Result result =
        CliProcess.run(
            "hello\n".getBytes(StandardCharsets.UTF_8),
            "run",
            "--tty",
            "--",
            "sh",
            "-c",
            "tty; cat");

    assertThat(result.out()).startsWith("/dev/").contains("hello");
    assertThat(result.code()).isZero();
  }

  @Test
  @Rule("S-CLI-01")
  void setsVariablesAndCopiesNamedOnes() throws Exception {
    try (CliProcess cli =
        CliProcess.start(
            Map.of("COPIED", "from here"),
            "run",
            "--env",
            "GIVEN=a=b",
            "--env",
            "COPIED",
            "--",
            "sh",
            "-c",
            "echo $GIVEN; echo $COPIED")) {
      assertThat(cli.end()).isEqualTo(new CliProcess.Result(0, "a=b\nfrom here\n", ""));
    }
  }

  @ParameterizedTest
  @CsvSource({"INT, 130", "TERM, 143", "HUP, 129"})
  @Rule("S-CLI-01")
  void aSignalToTheCommandKillsWhatItRuns(String signal, int code) throws Exception {
    try (CliProcess cli =
        CliProcess.start(Map.of(), "run", "--", "sh", "-c", "sleep 1000 & echo $!; wait")) {
      long inner = Long.parseLong(cli.outputUntil("\n").strip());

      cli.signal(signal);

      CliProcess.Result result = cli.end();
      assertThat(result.code()).isEqualTo(code);
      assertThat(result.err()).isEmpty();
      Processes.assertEnds(inner);
    }
  }
}
