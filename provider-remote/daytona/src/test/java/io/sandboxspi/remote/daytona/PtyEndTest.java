package io.sandboxspi.remote.daytona;

import static org.assertj.core.api.Assertions.assertThat;

import io.sandboxspi.ExitStatus;
import io.sandboxspi.remote.shell.Output;
import io.sandboxspi.remote.transport.WebSocketEnd;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PtyEndTest {
  @ParameterizedTest
  @CsvSource({
    "1000, '{\"exitCode\":0}', 0",
    "1011, '{\"exitCode\":3,\"exitReason\":\"non-zero exit\"}', 3",
    "1011, '{\"exitCode\":137,\"exitReason\":\"SIGKILL\"}', 137",
  })
  void aCodeThatWasSaidCounts(int close, String reason, int code) {
    Output.End end = PtyEnd.of(new WebSocketEnd.Closed(close, reason));
    assertThat(end.status()).contains(new ExitStatus.Exited(code));
    assertThat(end.broken()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "1000, '', false",
    "1000, '{\"exitCode\":-1}', false",
    "1000, '{\"exitCode\":\"0\"}', false",
    "1005, '', true",
    "1006, '', true",
    "1008, slow consumer, true",
    "1011, PTY session unavailable, true",
    "1011, '{\"exitCode\":1000}', true",
  })
  void nothingElseIsACode(int close, String reason, boolean broken) {
    Output.End end = PtyEnd.of(new WebSocketEnd.Closed(close, reason));
    assertThat(end.status()).isEmpty();
    assertThat(end.broken().isPresent()).isEqualTo(broken);
  }
}
