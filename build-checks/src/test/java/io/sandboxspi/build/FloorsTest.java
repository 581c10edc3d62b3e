package io.sandboxspi.build;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.lang.ArchRule;
import java.lang.module.ModuleDescriptor;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** An arrow between modules only ever points down. */
class FloorsTest {
  private static final String[] PROVIDERS = {
    "io.sandboxspi.local..",
    "io.sandboxspi.docker..",
    "io.sandboxspi.remote.e2b..",
    "io.sandboxspi.remote.daytona..",
    "io.sandboxspi.remote.cloudflare..",
    "io.sandboxspi.remote.blaxel..",
    "io.sandboxspi.remote.modal.."
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
  void whatRemoteProvidersShareKnowsNoneOfThem() {
    check(
        noClasses()
            .that()
            .resideInAnyPackage("io.sandboxspi.remote.transport..", "io.sandboxspi.remote.shell..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(PROVIDERS));
  }

  @Test
  void nothingButTheCommandLineKnowsAFake() {
    check(
        noClasses()
            .that()
            .resideOutsideOfPackages("io.sandboxspi.fake..", "io.sandboxspi.cli..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.sandboxspi.fake.."));
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

  @Test
  void othersUseOnlyWhatTheEngineExports() {
    String[] exported =
        Repo.exports("sandbox-core").orElse(Set.of()).stream()
            .map(ModuleDescriptor.Exports::source)
            .toArray(String[]::new);
    check(
        noClasses()
            .that()
            .resideOutsideOfPackage("io.sandboxspi.core..")
            .should()
            .dependOnClassesThat(
                resideInAPackage("io.sandboxspi.core..").and(not(resideInAnyPackage(exported))))
            .because("on the module path they see only what its module-info exports"));
  }

  private static void check(ArchRule rule) {
    rule.allowEmptyShould(true).check(ALL);
  }
}
