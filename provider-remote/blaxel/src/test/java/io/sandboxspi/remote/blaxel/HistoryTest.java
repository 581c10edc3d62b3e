package io.sandboxspi.remote.blaxel;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HistoryTest {
  @ParameterizedTest
  @CsvSource({
    "abc, abcdef, def",
    "abc, abc, ''",
    "abcabc, abcabcabc, abc",
    "xyzabc, abcdef, def",
    "aaaa, aaaaa, a",
    "'', abc, abc",
  })
  void whatIsNewFollowsWhatWasSeen(String seen, String replay, String unseen) {
    History history = new History();
    history.add(seen);
    assertThat(history.unseen(replay)).contains(unseen);
  }

  @Test
  void aReplayThatDoesNotFollowIsAGap() {
    History history = new History();
    history.add("abc");
    assertThat(history.unseen("xyz")).isEmpty();
  }

  @Test
  void aCharacterThatWasCutBeforeDoesNotHideTheRest() {
    History history = new History();
    history.add("a\ufffd\ufffd\ufffdb" + "c".repeat(300));
    assertThat(history.unseen("a\u20acb" + "c".repeat(300) + "d")).contains("d");
  }
}
