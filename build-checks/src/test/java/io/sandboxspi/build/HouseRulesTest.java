package io.sandboxspi.build;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Timer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Habits of the house that a machine can see. */
class HouseRulesTest {
  /** Classes that may make threads: their names say so, or it is their one purpose. */
  private static final String THREAD_OWNERS =
      ".*(Threads|Lane|Reactor|Driver|Hook|OpenSessions)\\b.*";

  private static final JavaClasses ALL = Classes.main(Repo.MODULES.toArray(String[]::new));

  @Test
  void everyPackageIsNullMarked() {
    check(
        classes()
            .should(
                new ArchCondition<>("be in a package with a @NullMarked package-info") {
                  @Override
                  public void check(JavaClass type, ConditionEvents events) {
                    boolean marked = type.getPackage().isAnnotatedWith(NullMarked.class);
                    String found = type.getPackageName() + (marked ? " is" : " is not");
                    events.add(new SimpleConditionEvent(type, marked, found + " @NullMarked"));
                  }
                }));
  }

  @Test
  void nobodySleeps() {
    check(
        noClasses()
            .should()
            .callMethodWhere(
                target(nameMatching("sleep"))
                    .and(
                        target(owner(name("java.lang.Thread")))
                            .or(target(owner(name("java.util.concurrent.TimeUnit"))))))
            .because("a sleep is no synchronisation; wait for the event with a deadline"));
  }

  @Test
  void onlyTheCommandLinePrints() {
    check(
        noClasses()
            .that()
            .resideOutsideOfPackage("io.sandboxspi.cli..")
            .and(
                DescribedPredicate.not(
                    DescribedPredicate.describe(
                        "are the TCK's report or launcher",
                        type ->
                            type.getPackageName().startsWith("io.sandboxspi.tck")
                                && type.getName().matches(".*(Report|Launch|Main).*"))))
            .should()
            .accessField(System.class, "out")
            .orShould()
            .accessField(System.class, "err")
            .orShould()
            .callMethod(Throwable.class, "printStackTrace"));
  }

  @Test
  void threadsAreMadeInNamedPlaces() {
    noClasses()
        .that()
        .haveNameNotMatching(THREAD_OWNERS)
        .should()
        .callCodeUnitWhere(makesThreads())
        .because("every thread has an owner and a name: " + THREAD_OWNERS)
        .allowEmptyShould(true)
        .check(Classes.main("sandbox-api", "sandbox-core", "provider-local", "provider-docker"));
  }

  @Test
  void noSourceFileIsLong() throws IOException {
    List<String> tooLong = new ArrayList<>();
    for (String module : Repo.MODULES) {
      for (Path file : Repo.sources(module)) {
        long lines = Files.readAllLines(file).size();
        if (lines > 500) {
          tooLong.add(Repo.root().relativize(file) + " has " + lines + " lines");
        }
      }
    }
    assertThat(tooLong).as("one idea per file, none over 500 lines").isEmpty();
  }

  private static DescribedPredicate<JavaCall<?>> makesThreads() {
    return DescribedPredicate.describe("makes threads", HouseRulesTest::makesThreads);
  }

  private static boolean makesThreads(JavaCall<?> call) {
    JavaClass owner = call.getTargetOwner();
    String method = call.getName();
    if (method.equals("<init>")) {
      // A subclass that hands up to its superclass is judged where it is made.
      boolean handsUp = call.getOrigin().getName().equals("<init>");
      return !handsUp
          && (owner.isAssignableTo(Thread.class)
              || owner.isEquivalentTo(ThreadPoolExecutor.class)
              || owner.isEquivalentTo(ScheduledThreadPoolExecutor.class)
              || owner.isEquivalentTo(ForkJoinPool.class)
              || owner.isEquivalentTo(Timer.class));
    }
    if (owner.isEquivalentTo(CompletableFuture.class)) {
      boolean hasExecutor =
          call.getTarget().getRawParameterTypes().stream()
              .anyMatch(type -> type.getName().equals("java.util.concurrent.Executor"));
      return method.endsWith("Async") && !hasExecutor;
    }
    return owner.isEquivalentTo(Executors.class)
        || (owner.isEquivalentTo(ForkJoinPool.class) && method.equals("commonPool"))
        || (owner.isEquivalentTo(Thread.class)
            && method.matches("ofVirtual|ofPlatform|startVirtual.*"));
  }

  private static void check(ArchRule rule) {
    rule.allowEmptyShould(true).check(ALL);
  }
}
