package io.sandboxspi.build;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests in every shape that carries a rule, for the tests of the trace itself; never run. */
@SuppressWarnings("unused")
final class SpecTraceFixture {
  private SpecTraceFixture() {}

  @Retention(RetentionPolicy.RUNTIME)
  @interface Rule {
    String[] value();
  }

  static class ByMethod {
    @Test
    @Rule("S-FIX-01")
    void one() {}

    @ParameterizedTest
    @ValueSource(ints = 1)
    @Rule({"S-FIX-02", "S-FIX-03"})
    void two(int ignored) {}

    @Test
    @Tag("S-FIX-04")
    @Tag("slow")
    void four() {}

    @Rule("S-FIX-98")
    void notATest() {}

    @Test
    @Disabled
    @Rule("S-FIX-99")
    void disabled() {}

    @Test
    @Tag("slow")
    void bare() {}
  }

  @Tag("S-FIX-05")
  static class ByClass {
    @Test
    void five() {}

    class Inner {
      @Test
      void six() {}
    }
  }
}
