package io.sandboxspi.core.reap;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("S-REAP-02")
class OwnerTest {
  @Test
  void thisProcessLivesAndFitsALabel() {
    assertThat(Owner.current()).matches("[0-9a-f.]{10,63}");
    assertThat(Owner.state(Owner.current())).isEqualTo(Owner.State.ALIVE);
  }

  @Test
  void anotherProcessIsToldFromOneThatHasItsNumber() throws Exception {
    Process other = new ProcessBuilder("sleep", "60").start();
    try {
      String place = Owner.current().split("\\.")[0];
      String reused = place + "." + other.pid() + ".1";
      assertThat(Owner.state(reused)).isEqualTo(Owner.State.GONE);
    } finally {
      other.destroyForcibly();
    }
  }

  @Test
  void anEndedProcessIsGone() throws Exception {
    Process other = new ProcessBuilder("true").start();
    assertThat(other.waitFor(10, TimeUnit.SECONDS)).isTrue();
    String[] parts = Owner.current().split("\\.");
    String ended = parts[0] + "." + other.pid() + "." + parts[2];

    assertThat(Owner.state(ended)).isEqualTo(Owner.State.GONE);
  }

  @Test
  void nothingIsKnownOfAnotherPlace() {
    String[] parts = Owner.current().split("\\.");

    assertThat(Owner.state("0123456789abcdef." + parts[1] + "." + parts[2]))
        .isEqualTo(Owner.State.UNKNOWN);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "root/17", "0123456789abcdef.1", "0123456789abcdef.1.2.3", "x.1.2"})
  void nothingIsKnownOfTextOfAnotherForm(String text) {
    assertThat(Owner.state(text)).isEqualTo(Owner.State.UNKNOWN);
  }
}
