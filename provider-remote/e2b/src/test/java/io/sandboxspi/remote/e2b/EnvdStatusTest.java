package io.sandboxspi.remote.e2b;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sandboxspi.ExitStatus;
import io.sandboxspi.remote.transport.Json;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EnvdStatusTest {
  private static JsonNode end(String json) {
    return Json.read("end", json.getBytes());
  }

  @Test
  void aMissingCodeIsZeroOnlyIfItSaysThatItExited() {
    assertThat(EnvdStatus.read(end("{\"exited\":true,\"status\":\"exit status 0\"}")))
        .contains(new ExitStatus.Exited(0));
    assertThat(
            EnvdStatus.read(end("{\"exitCode\":3,\"exited\":true,\"status\":\"exit status 3\"}")))
        .contains(new ExitStatus.Exited(3));
  }

  @ParameterizedTest
  @CsvSource({"killed,9", "terminated,15", "'segmentation fault (core dumped)',11", "signal 40,40"})
  void aSignalIsReadFromItsName(String name, int signal) {
    assertThat(EnvdStatus.read(end("{\"exitCode\":-1,\"status\":\"signal: " + name + "\"}")))
        .contains(new ExitStatus.Signalled(signal));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"{}", "{\"status\":\"signal: odd\"}", "{\"exitCode\":-1}", "{\"exitCode\":300}"})
  void whatIsNotUnderstoodIsNoCode(String json) {
    assertThat(EnvdStatus.read(end(json))).isEmpty();
  }
}
