package io.sandboxspi.build;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import io.sandboxspi.core.pty.CleanupOperations;
import io.sandboxspi.spi.SandboxBackend;
import io.sandboxspi.spi.SandboxProcess;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Processes end through the one helper. That a run of the kit sees no other way is rule S-CLEAN-02;
 * here that none is written down.
 */
class OneHelperTest {
  private static final JavaClasses ALL = Classes.main(Repo.MODULES.toArray(String[]::new));

  private static final DescribedPredicate<JavaMethodCall> AN_END =
      call("what ends or releases a launch", SandboxBackend.class, "kill", "killAll")
          .or(call("what releases a launch", SandboxProcess.class, "release"));

  /** Decorators and providers hand on what they are asked for, under the same name. */
  private static final DescribedPredicate<JavaMethodCall> HANDED_ON =
      describe(
          "from a method of the same family",
          call ->
              Set.of("kill", "killAll", "killOthers", "release", "endAll")
                  .contains(call.getOrigin().getName()));

  @Test
  void onlyWhatTheHelperCallsAsksBackendsForAnEnd() {
    noClasses()
        .that()
        .resideInAPackage("io.sandboxspi.core..")
        .and(
            describe(
                "are no operations of the helper",
                type -> !type.isAssignableTo(CleanupOperations.class)))
        .should()
        .callMethodWhere(AN_END)
        .check(ALL);
  }

  @Test
  void providersEndLaunchesWhenAskedOnly() {
    noClasses()
        .that()
        .resideInAnyPackage(
            "io.sandboxspi.local..", "io.sandboxspi.docker..", "io.sandboxspi.remote..")
        .should()
        .callMethodWhere(AN_END.and(DescribedPredicate.not(HANDED_ON)))
        .orShould()
        .callMethodWhere(call("java's own kill", Process.class, "destroy", "destroyForcibly"))
        .orShould()
        .callMethodWhere(call("java's own kill", ProcessHandle.class, "destroy", "destroyForcibly"))
        .check(ALL);
  }

  private static DescribedPredicate<JavaMethodCall> call(
      String what, Class<?> owner, String... names) {
    return describe(
        what,
        call -> {
          JavaClass target = call.getTargetOwner();
          return target.isAssignableTo(owner) && Set.of(names).contains(call.getTarget().getName());
        });
  }
}
