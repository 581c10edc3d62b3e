package io.sandboxspi.remote.cloudflare;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers of the bridge to a command, in all forms that they may have. */
class EventsTest {
  private static Events read(String text) {
    return Events.read("asking", text.getBytes(UTF_8));
  }

  @ParameterizedTest
  @ValueSource(strings = {"\n", "\r", "\r\n"})
  void linesEndInAnyWay(String end) {
    Events events =
        read(
            ": a comment\nevent: stdout\ndata: YQ==\n\nevent:stderr\ndata:Yg==\n\nevent: new\n\nevent: exit\ndata: {\"exit_code\":3}\n\n"
                .replace("\n", end));
    assertThat(events.stdout()).isEqualTo("a");
    assertThat(events.words()).isEqualTo("b");
    assertThat(events.exitCode()).isEqualTo(3);
  }

  @Test
  void dataMayHaveLines() {
    assertThat(read("event: exit\ndata: {\ndata: \"exit_code\":4}\n\n").exitCode()).isEqualTo(4);
  }

  @ParameterizedTest
  @CsvSource({
    "'', BROKEN, empty",
    "'event: stdout\ndata: YQ==\n\n', BROKEN, ended before the command",
    "'event: exit\ndata: {\"exit_code\":0}', MALFORMED, no events",
    "'event: exit\ndata: 7\n\n', MALFORMED, JSON",
    "'event: stdout\ndata: ???\n\n', MALFORMED, base64",
    "'event: error\ndata: {\"error\":\"it broke\",\"code\":\"exec_error\"}\n\n', BROKEN, it broke",
    "'{\"error\":\"no such thing\",\"code\":\"x\"}', BROKEN, no such thing",
    "'<html>sign in</html>', MALFORMED, HTML",
  })
  void whatIsNoEndIsAnError(String text, Kind kind, String said) {
    RemoteException failure = catchThrowableOfType(RemoteException.class, () -> read(text));
    assertThat(failure.kind()).isEqualTo(kind);
    assertThat(failure).hasMessageContaining(said);
  }
}
