package io.sandboxspi.remote.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.SandboxException;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class OptionReaderTest {
  private static SandboxException refused(Map<String, String> given, Consumer<OptionReader> use) {
    SandboxException failure =
        catchThrowableOfType(
            SandboxException.class, () -> use.accept(new OptionReader("some", given)));
    assertThat(failure.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    return failure;
  }

  @Test
  void whatNobodyTakesIsNamedWithAllThatMayBeGiven() {
    SandboxException failure =
        refused(
            Map.of("sise", "1"),
            options -> {
              Object unused = options.number("size", 1, 9);
              unused = options.flag("open", false);
              options.end();
            });
    assertThat(failure).hasMessage("option of provider some is sise; allowed: open, size");
  }

  @Test
  void pairsKeepTheirOrderAndNamesOfOursAreRefused() {
    Pattern form = Pattern.compile("[a-z.]+=.*");
    assertThat(
            new OptionReader("some", Map.of("labels", "b=1,a=x=y"))
                .pairs("labels", form, "name=value", "io.x."))
        .containsExactly(Map.entry("b", "1"), Map.entry("a", "x=y"));
    assertThat(
            refused(
                Map.of("labels", "io.x.a=1"),
                options -> options.pairs("labels", form, "name=value", "io.x.")))
        .hasMessageContaining("io.x.a=1")
        .hasMessageContaining("no name below io.x.");
  }

  @Test
  void portsAreSortedAndComeBackAsText() {
    Set<Integer> ports =
        new OptionReader("some", Map.of("ports", "81,8,300")).ports("ports", 1, Set.of(80));
    assertThat(OptionReader.text(ports)).isEqualTo("8,81,300");
    assertThat(refused(Map.of("ports", "8,80"), options -> options.ports("ports", 1, Set.of(80))))
        .hasMessage("ports is \"80\"; allowed: 1 to 65535 with commas between, not 80");
  }

  @Test
  void aProxyWithAPasswordIsNotShown() {
    assertThat(
            refused(Map.of("proxy", "http://me:canary@host:1"), options -> options.client("agent")))
        .hasMessageNotContaining("canary");
    assertThat(refused(Map.of("proxy", "http://a b:canary"), options -> options.client("agent")))
        .hasMessageNotContaining("canary");
  }
}
