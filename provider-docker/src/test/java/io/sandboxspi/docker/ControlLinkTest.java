package io.sandboxspi.docker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class ControlLinkTest {
  /** The reactor may tell the end of a stream before who opened it has it in hand. */
  @Test
  void aShellThatEndsAtOnceIsLost() {
    ControlLink.Kept kept = new ControlLink.Kept();
    kept.onEnd(Optional.empty());
    assertThat(kept.over()).isTrue();
  }
}
