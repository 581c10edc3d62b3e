package io.sandboxspi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.LaunchId;
import io.sandboxspi.spi.LaunchRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ValuesTest {
  static Stream<Arguments> badValues() {
    Command command = Command.of("x");
    PtyRequest request = PtyRequest.of("x");
    return Stream.of(
        bad("columns", "0", () -> new TerminalSize(0, 24)),
        bad("rows", "65536", () -> new TerminalSize(80, 65_536)),
        bad("argv", "empty", () -> Command.of(List.of())),
        bad("argv", "empty", () -> Command.of("")),
        bad("argv[1]", "NUL", () -> Command.of("x", "a\0b")),
        bad("timeout", "PT0S", () -> command.timeout(Duration.ZERO)),
        bad("timeout", "PT-1S", () -> command.timeout(Duration.ofSeconds(-1))),
        bad("openTimeout", "PT0S", () -> command.openTimeout(Duration.ZERO)),
        bad("user", "a b", () -> command.user("a b")),
        bad("user", "-x", () -> request.user("-x")),
        bad("user", "x:y", () -> io.sandboxspi.Manifest.builder().user("x:y")),
        bad("captureLimit", "0", () -> command.captureLimit(0)),
        bad("environment name", "A=B", () -> command.env("A=B", "x")),
        bad("environment name", "\"\"", () -> request.env("", "x")),
        bad("environment value of A", "NUL", () -> request.env("A", "\0")),
        bad("workdir", "empty", () -> request.workdir("")),
        bad("openTimeout", "PT0S", () -> request.openTimeout(Duration.ZERO)),
        bad("maxLifetime", "PT0S", () -> request.maxLifetime(Duration.ZERO)),
        bad("window", "PT-1S", () -> YieldOptions.forPoll().window(Duration.ofSeconds(-1))),
        bad("quietAfter", "PT0S", () -> YieldOptions.forPoll().quietAfter(Duration.ZERO)),
        bad("exit code", "256", () -> new ExitStatus.Exited(256)),
        bad("signal", "0", () -> new ExitStatus.Signalled(0)),
        bad("kill", "PT0S", () -> timings(Duration.ZERO)),
        bad("limit", "PT0S", () -> CallScope.withDeadline(Duration.ZERO)),
        bad("launch id", "A B", () -> new LaunchId("A B")),
        bad("createTimeout", "PT0S", () -> createTimeout(Duration.ZERO)));
  }

  private static Arguments bad(String field, String value, ThrowingCallable call) {
    return Arguments.of(field, value, call);
  }

  private static CleanupTimings timings(Duration kill) {
    return new CleanupTimings(
        kill, Duration.ofSeconds(1), Duration.ofSeconds(1), Duration.ofSeconds(1));
  }

  private static SandboxSpec createTimeout(Duration limit) {
    return SandboxSpec.builder().createTimeout(limit).build();
  }

  @ParameterizedTest(name = "{0} {1}")
  @MethodSource("badValues")
  @Tag("S-VAL-01")
  @Tag("S-ERR-01")
  void badInputNamesTheFieldTheValueAndWhatIsAllowed(
      String field, String value, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            SandboxException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
              assertThat(e.operation()).isEqualTo(Operation.VALIDATE);
              assertThat(e.retryable()).isEqualTo(Retryable.NO);
            })
        .hasMessageStartingWith(field + " is ")
        .hasMessageContaining(value)
        .hasMessageContaining("allowed: ");
  }

  @Test
  @Tag("S-ERR-03")
  void noTextShowsArgumentsVariablesInputOrOutput() {
    Command command =
        Command.of("prog", "canary")
            .env("TOKEN", "canary")
            .stdin(Stdin.bytes("canary".getBytes(StandardCharsets.UTF_8)));
    PtyRequest request = PtyRequest.of("prog", "canary").env("TOKEN", "canary");
    SandboxSpec spec = SandboxSpec.builder().env("TOKEN", "canary").option("key", "canary").build();
    LaunchRequest launch =
        new LaunchRequest(
            LaunchId.random(),
            command.argv(),
            command.environment(),
            Optional.empty(),
            Optional.empty(),
            true);
    CapturedOutput output = CapturedOutput.of("canary".getBytes(StandardCharsets.UTF_8), 6);
    ExecResult result =
        new ExecResult(
            new ExitStatus.Exited(0), output, CapturedOutput.empty(), Duration.ZERO, false);
    PtyUpdate update =
        new PtyUpdate(
            OptionalInt.empty(),
            "canary",
            Optional.of(PtyEndReason.EXITED),
            Optional.empty(),
            OptionalInt.empty(),
            0,
            false,
            Duration.ZERO);
    BackendRequest backend = new BackendRequest("id", Map.of("key", "canary"));
    assertThat(
            Stream.of(
                    command,
                    command.stdin(),
                    request,
                    spec,
                    launch,
                    output,
                    result,
                    update,
                    backend)
                .map(Object::toString))
        .noneMatch(text -> text.contains("canary"));
    assertThat(command.toString()).contains("prog", "TOKEN");
    assertThatThrownBy(() -> command.env("X", "canary\0")).hasMessageNotContaining("canary");
  }

  @Test
  void valuesAreCopiedWhenTheyComeAndGo() {
    byte[] bytes = {1, 2};
    CapturedOutput output = CapturedOutput.of(bytes, 5);
    bytes[0] = 9;
    output.bytes()[1] = 9;
    assertThat(output.bytes()).containsExactly(1, 2);
    assertThat(output.truncated()).isTrue();
    assertThat(output).isEqualTo(CapturedOutput.of(new byte[] {1, 2}, 5));
  }
}
