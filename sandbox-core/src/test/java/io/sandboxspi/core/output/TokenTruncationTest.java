package io.sandboxspi.core.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("S-OUT-04")
class TokenTruncationTest {
  private static final Pattern SHORTENED =
      Pattern.compile(
          "(?:\\[(?<lines>\\d+) lines? of output in all]\n\n)?"
              + "(?<head>[^…]*)…(?<dropped>\\d+) tokens? left out…(?<tail>[^…]*)");

  @Test
  @Tag("S-ERR-03")
  void aResultShowsNoText() {
    assertThat(Truncated.whole("canary").toString()).doesNotContain("canary");
  }

  @Test
  void withinTheBudgetTextIsUnchanged() {
    assertThat(TokenTruncation.truncate("12345678", 2)).isEqualTo(Truncated.whole("12345678"));
    assertThat(TokenTruncation.truncate("€€", 2)).isEqualTo(Truncated.whole("€€"));
    assertThat(TokenTruncation.truncate("", 0)).isEqualTo(Truncated.whole(""));
    assertThat(TokenTruncation.truncate("x".repeat(100), Integer.MAX_VALUE).originalTokens())
        .isEmpty();
  }

  @Test
  void originalTokensAreBytesByFourRoundedUp() {
    assertThat(TokenTruncation.truncate("123456789", 2).originalTokens()).hasValue(3);
    assertThat(TokenTruncation.truncate("€€€", 2).originalTokens()).hasValue(3);
    assertThat(TokenTruncation.truncate("x", 0).originalTokens()).hasValue(1);
  }

  @Test
  void overTheBudgetHeadAndTailStayWithLinesAndMarker() {
    String text = "first\n" + "middle\n".repeat(100) + "last";
    Truncated result = TokenTruncation.truncate(text, 25);
    Matcher parts = SHORTENED.matcher(result.text());
    assertThat(parts.matches()).isTrue();
    assertThat(parts.group("lines")).isEqualTo("102");
    assertThat(text).startsWith(parts.group("head")).endsWith(parts.group("tail"));
    assertThat(parts.group("head")).startsWith("first");
    assertThat(parts.group("tail")).endsWith("last");
    int kept = parts.group("head").length() + parts.group("tail").length();
    assertThat(parts.group("dropped")).isEqualTo("" + (text.length() - kept + 3) / 4);
    assertThat(parts.group("tail").length() - parts.group("head").length()).isBetween(0, 1);
    assertThat(result.text()).hasSize(100 - 4);
  }

  @Test
  void zeroAndNegativeBudgetsGiveEmptyText() {
    for (int budget : new int[] {0, -1, Integer.MIN_VALUE}) {
      Truncated result = TokenTruncation.truncate("some text", budget);
      assertThat(result.text()).isEmpty();
      assertThat(result.originalTokens()).hasValue(3);
    }
  }

  @Test
  void leadingLineGoesFirstAndTheMarkerIsCutLast() {
    String text = "x".repeat(1_000);
    String marker = "…250 tokens left out…";
    int markerBytes = Bytes.utf8(marker).length;
    assertThat(TokenTruncation.truncate(text, 6).text()).contains("…").doesNotContain("[");
    assertThat(TokenTruncation.truncate(text, 1).text()).isEqualTo("…2");
    assertThat(TokenTruncation.truncate(text, markerBytes / 4).text())
        .isEqualTo(marker.substring(0, marker.length() - 1));
    assertThat(TokenTruncation.truncate(text, 14).text()).startsWith("[1 line of output in all]");
  }

  @Test
  void randomTextAlwaysFitsAndIsNeverSplitInACharacter() {
    SplittableRandom random = Bytes.random("TokenTruncationTest");
    for (int round = 0; round < 20_000; round++) {
      String text = Bytes.text(random, random.nextInt(300));
      int budget = random.nextInt(120);
      int bytes = Bytes.utf8(text).length;
      Truncated result = TokenTruncation.truncate(text, budget);
      assertThat(Bytes.utf8(result.text()).length).isLessThanOrEqualTo(budget * 4);
      assertThat(result.originalTokens().isPresent()).isEqualTo(bytes > budget * 4);
      if (bytes <= budget * 4) {
        assertThat(result.text()).isSameAs(text);
        continue;
      }
      assertThat(result.originalTokens()).hasValue((bytes + 3) / 4);
      assertThat(result.text().chars().noneMatch(c -> c == '?')).isTrue();
      assertThat(new String(Bytes.utf8(result.text()), java.nio.charset.StandardCharsets.UTF_8))
          .isEqualTo(result.text());
      Matcher parts = SHORTENED.matcher(result.text());
      if (parts.matches()) {
        assertThat(text).startsWith(parts.group("head")).endsWith(parts.group("tail"));
        int kept = Bytes.utf8(parts.group("head") + parts.group("tail")).length;
        assertThat(parts.group("dropped")).isEqualTo("" + (bytes - kept + 3) / 4);
        assertThat(Bytes.utf8(result.text()).length).isGreaterThan(budget * 4 - 14);
      } else {
        assertThat(("…" + (bytes + 3) / 4 + " tokens left out…")).startsWith(result.text());
      }
    }
  }

  @Test
  void countsLinesAsTheJdkAndBytesAsTheEncoder() {
    SplittableRandom random = Bytes.random("TokenTruncationTest counts");
    String[] letters = {"a", "\n", "\r", "\r\n", "é", "€", "😀", "\uD800", "\uDC00"};
    for (int round = 0; round < 20_000; round++) {
      StringBuilder text = new StringBuilder();
      for (int i = random.nextInt(8); i > 0; i--) {
        text.append(letters[random.nextInt(letters.length)]);
      }
      String whole = text.toString();
      assertThat(TokenTruncation.countLines(whole)).isEqualTo(whole.lines().count());
      assertThat(TokenTruncation.utf8Length(whole)).isEqualTo(Bytes.utf8(whole).length);
    }
  }
}
