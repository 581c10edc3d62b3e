package io.sandboxspi.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExitStatus;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExitCodesTest {
  @Test
  void aStatusKeepsItsCodeOrItsSignal() {
    assertThat(ExitCodes.of(new ExitStatus.Exited(3))).isEqualTo(3);
    assertThat(ExitCodes.of(new ExitStatus.Signalled(9))).isEqualTo(137);
  }

  @Test
  void aLostEndIsTheSandboxsFailure() {
    assertThatThrownBy(() -> ExitCodes.of(new ExitStatus.Lost("the line is down")))
        .hasMessageContaining("the line is down")
        .satisfies(failure -> assertThat(ExitCodes.of(failure)).isEqualTo(125));
  }

  @ParameterizedTest
  @CsvSource({
    "INVALID_ARGUMENT, 2",
    "PROVIDER_NOT_FOUND, 2",
    "EXEC_TIMEOUT, 124",
    "COMMAND_NOT_EXECUTABLE, 126",
    "COMMAND_NOT_FOUND, 127",
    "PROVIDER_UNAVAILABLE, 125",
    "CREATE_FAILED, 125",
    "WORKING_DIRECTORY_NOT_FOUND, 125",
    "TERMINATION_UNCONFIRMED, 125",
    "INTERNAL, 125"
  })
  void failuresHaveTheirCodes(ErrorCode code, int expected) {
    assertThat(ExitCodes.of(SandboxException.of(code, Operation.EXEC, "it failed")))
        .isEqualTo(expected);
  }

  @Test
  void aFailureIsOneLine() {
    assertThat(report(new IllegalStateException("first\nsecond\u001b[2J")))
        .isEqualTo("sandbox: first second [2J\n");
    assertThat(report(new IllegalStateException())).isEqualTo("sandbox: IllegalStateException\n");
    assertThat(report(CliFailure.quiet(141, "broken pipe"))).isEmpty();
  }

  private static String report(Throwable failure) {
    StringWriter text = new StringWriter();
    Failures.report(failure, new PrintWriter(text));
    return text.toString();
  }
}
