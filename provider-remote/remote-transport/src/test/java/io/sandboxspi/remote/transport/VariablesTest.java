package io.sandboxspi.remote.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.sandboxspi.SandboxException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VariablesTest {
  @Test
  void aPropertyGoesBeforeAVariableUnlessItIsEmpty() {
    Map<String, String> properties = Map.of("BOTH", "property", "EMPTY", " ");
    Map<String, String> environment = Map.of("BOTH", "variable", "EMPTY", "variable", "ONE", "x\n");
    Variables variables =
        Variables.first(
            name -> properties.getOrDefault(name, ""), name -> environment.getOrDefault(name, ""));
    assertThat(variables.apply("BOTH")).isEqualTo("property");
    assertThat(variables.apply("EMPTY")).isEqualTo("variable");
    assertThat(variables.apply("ONE")).isEqualTo("x");
    assertThat(variables.apply("NONE")).isEmpty();
  }

  @Test
  void theProcessHasBoth() {
    assertThat(Variables.ofProcess().apply("java.version"))
        .isEqualTo(System.getProperty("java.version"));
    assertThat(Variables.ofProcess().apply("PATH")).isEqualTo(System.getenv("PATH"));
    assertThat(Variables.of(Map.of("A", "a")).apply("PATH")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ftp://host",
        "https://",
        "not an address",
        "https://user:pw@host",
        "https://host/?key=pw",
        "https://host/#pw"
      })
  void anAddressOfAnotherFormIsRefusedWithoutShowingIt(String address) {
    assertThat(catchThrowable(() -> Variables.address("the-field", address)))
        .isInstanceOf(SandboxException.class)
        .hasMessageContaining("the-field")
        .hasMessageNotContaining("pw");
  }

  @Test
  void anAddressLosesSlashesAtItsEnd() {
    assertThat(Variables.address("a", "https://host/api//")).hasToString("https://host/api");
  }
}
