package io.sandboxspi.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class DurationsTest {
  private final Durations durations = new Durations();

  @ParameterizedTest
  @CsvSource({
    "500ms, PT0.5S",
    "30s, PT30S",
    "2m, PT2M",
    "1h, PT1H",
    "1H, PT1H",
    "PT1M30S, PT1M30S",
    "pt0.25s, PT0.25S"
  })
  void readsShortAndIsoForms(String text, Duration expected) {
    assertThat(durations.convert(text)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "30", "s", "-1s", "0s", "PT0S", "PT-1S", "1.5s", "1d", "9999999999999999h"})
  void namesTheValueAndWhatIsAllowed(String text) {
    assertThatThrownBy(() -> durations.convert(text))
        .isInstanceOf(TypeConversionException.class)
        .hasMessageStartingWith("'" + text + "'; allowed: ");
  }

  @Test
  void showsThemShort() {
    assertThat(Durations.show(Duration.ofMillis(250))).isEqualTo("250 ms");
    assertThat(Durations.show(Duration.ofMillis(1500))).isEqualTo("1.5 s");
    assertThat(Durations.show(Duration.ofSeconds(90))).isEqualTo("90 s");
    assertThat(Durations.show(Duration.ofMinutes(2))).isEqualTo("2 min");
    assertThat(Durations.show(Duration.ofHours(3))).isEqualTo("3 h");
  }
}
