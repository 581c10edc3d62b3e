package io.sandboxspi.remote.blaxel;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sandboxspi.remote.transport.Json;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a command's stream says. */
class ProcessEventsTest {
  private final ProcessEvents events = new ProcessEvents("the command");

  private void feed(String text) {
    for (byte each : text.getBytes(UTF_8)) {
      boolean more = events.onBytes(ByteBuffer.wrap(new byte[] {each}));
      assertThat(more).isTrue();
    }
  }

  private static String event(String type, String data) {
    return Json.object().put("type", type).put("data", data) + "\n";
  }

  private static String result(String stdout) {
    return event(
        "result", Json.object().put("status", "completed").put("stdout", stdout).toString());
  }

  @Test
  void theResultIsExactWhereTheStreamHasLostLineBreaks() {
    feed(event("stdout", "one") + event("stdout", "two") + result("one\n\ntwo\n"));
    assertThat(events.result()).isCompletedWithValue("one\n\ntwo\n");
  }

  @Test
  void whatOnlySaysThatItLivesIsNoOutput() {
    String cut = "[... truncated, see the process log file for the full output ...]\nb";
    feed(
        event("stdout", "a\n")
            + "{\"type\":\"keepalive\"}\n\n"
            + event("stdout", "[keepalive]\n")
            + event("stderr", "e")
            + event("stdout", "says [keepalive]\n")
            + event("stdout", "\n[Process is being forcefully killed]\n")
            + event("later", "x")
            + result(cut));
    assertThat(events.result()).isCompletedWithValue("a\nsays [keepalive]\n");
  }

  @Test
  void anAgentThatKnowsNoStreamsAnswersOnce() {
    feed("{\"status\":\"failed\",\"exitCode\":3,\"stdout\":\"a\\n\"}");
    events.onEnd(Optional.empty());
    assertThat(events.result()).isCompletedWithValue("a\n");
  }

  @Test
  void aStreamThatEndsBeforeTheResultIsBroken() {
    feed(event("stdout", "a") + "{\"type\":\"resu");
    events.onEnd(Optional.of(new RemoteException(Kind.BROKEN, "cut")));
    assertThat(catchThrowable(() -> events.result().join())).hasMessageContaining("cut");
  }

  @ParameterizedTest
  @CsvSource({"BROKEN, ''", "MALFORMED, '{\"type\":\"resu'", "MALFORMED, '[1]'"})
  void anEndThatIsNoneIsAnError(Kind kind, String last) {
    feed(event("stdout", "a") + last);
    events.onEnd(Optional.empty());
    assertThat(catchThrowableOfType(CompletionException.class, () -> events.result().join()))
        .cause()
        .isInstanceOfSatisfying(
            RemoteException.class, failure -> assertThat(failure.kind()).isEqualTo(kind));
  }

  @ParameterizedTest
  @CsvSource({
    "CLOSED, '{\"type\":\"error\",\"data\":\"folder\\nmissing\"}', folder missing",
    "MALFORMED, <html>sign in</html>, HTML",
    "MALFORMED, not json, JSON",
    "MALFORMED, '{\"type\":\"result\",\"data\":\"7\"}', no process",
    "MALFORMED, '{\"type\":\"result\",\"data\":\"\"}', the result",
  })
  void whatIsNoAnswerIsOneError(Kind kind, String line, String said) {
    RemoteException failure = catchThrowableOfType(RemoteException.class, () -> feed(line + "\n"));
    assertThat(failure.kind()).isEqualTo(kind);
    assertThat(failure).hasMessageContaining(said);
  }

  @Test
  void aLineWithoutEndAndOutputWithoutEndAreBounded() {
    byte[] much = new byte[1 << 20];
    java.util.Arrays.fill(much, (byte) 'x');
    RemoteException line =
        catchThrowableOfType(
            RemoteException.class,
            () -> {
              for (int i = 0; i < 5; i++) {
                boolean unused = events.onBytes(ByteBuffer.wrap(much));
              }
            });
    assertThat(line.kind()).isEqualTo(Kind.TOO_LARGE);
    ProcessEvents other = new ProcessEvents("the command");
    byte[] print = event("stdout", new String(much, UTF_8)).getBytes(UTF_8);
    RemoteException output =
        catchThrowableOfType(
            RemoteException.class,
            () -> {
              for (int i = 0; i < 5; i++) {
                boolean unused = other.onBytes(ByteBuffer.wrap(print));
              }
            });
    assertThat(output.kind()).isEqualTo(Kind.TOO_LARGE);
  }
}
