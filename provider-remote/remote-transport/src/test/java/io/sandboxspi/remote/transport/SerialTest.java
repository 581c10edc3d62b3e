package io.sandboxspi.remote.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SerialTest {
  private final Serial serial = new Serial();
  private final List<String> ran = new ArrayList<>();

  @Test
  void whatATaskBringsRunsAfterIt() {
    serial.execute(
        () -> {
          serial.execute(() -> ran.add("inner"));
          ran.add("outer");
        });
    assertThat(ran).containsExactly("outer", "inner");
  }

  @Test
  void aTaskThatFailsStopsNoOther() {
    assertThatThrownBy(
            () ->
                serial.execute(
                    () -> {
                      serial.execute(() -> ran.add("next"));
                      throw new IllegalStateException("first");
                    }))
        .hasMessage("first");
    serial.execute(() -> ran.add("later"));
    assertThat(ran).containsExactly("next", "later");
  }
}
