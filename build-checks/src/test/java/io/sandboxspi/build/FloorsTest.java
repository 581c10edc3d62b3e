package io.sandboxspi.build;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.lang.ArchRule;
import org.junit.jupiter.api.Test;

/** An arrow between modules only ever points down. */
class FloorsTest {
  private static final String[] PROVIDERS = {
    "io.sandboxspi.local..", "io.sandboxspi.docker..", "io.sandboxspi.remote.."
  };

  private static final JavaClasses ALL = Classes.main(Repo.MODULES.toArray(String[]::new));

  @Test
  void theApiNeedsNothingButTheJdkAndNullnessAnnotations() {
    check(
        classes()
            .that()
            .resideInAnyPackage("io.sandboxspi", "io.sandboxspi.spi")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                "java..", "org.jspecify.annotations", "io.sandboxspi", "io.sandboxspi.spi"));
  }

  @Test
  void theEngineKnowsNoProviderNoTckAndNoCli() {
    check(
        noClasses()
            .that()
            .resideInAPackage("io.sandboxspi.core..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                "io.sandboxspi.local..",
                "io.sandboxspi.docker..",
                "io.sandboxspi.remote..",
                "io.sandboxspi.tck..",
                "io.sandboxspi.cli.."));
  }

  @Test
  void noProviderKnowsAnother() {
    for (String provider : PROVIDERS) {
      for (String other : PROVIDERS) {
        if (!provider.equals(other)) {
          check(
              noClasses()
                  .that()
                  .resideInAPackage(provider)
                  .should()
                  .dependOnClassesThat()
                  .resideInAPackage(other));
        }
      }
    }
  }

  @Test
  void providersKnowNeitherTckNorCli() {
    check(
        noClasses()
            .that()
            .resideInAnyPackage(PROVIDERS)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.sandboxspi.tck..", "io.sandboxspi.cli.."));
  }

  @Test
  void theTckKnowsNoProviderAndNoCli() {
    check(
        noClasses()
            .that()
            .resideInAPackage("io.sandboxspi.tck..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(PROVIDERS)
            .orShould()
            .dependOnClassesThat()
            .resideInAPackage("io.sandboxspi.cli.."));
  }

  private static void check(ArchRule rule) {
    rule.allowEmptyShould(true).check(ALL);
  }
}
