package io.sandboxspi.tck;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The four parts of the kit are the whole kit. */
class PartsTest {
  @Test
  void eachTestIsInOnePart() {
    List<String> parts =
        Stream.of(CommandsTck.class, TerminalsTck.class, StartsTck.class, CleanupTck.class)
            .flatMap(PartsTest::tests)
            .sorted()
            .toList();

    assertThat(parts).isEqualTo(tests(SandboxProviderTck.class).sorted().toList()).isNotEmpty();
  }

  private static Stream<String> tests(Class<?> kit) {
    return Arrays.stream(kit.getMethods())
        .filter(method -> method.isAnnotationPresent(Rule.class))
        .map(Method::toString);
  }
}
