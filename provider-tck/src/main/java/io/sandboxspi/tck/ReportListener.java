package io.sandboxspi.tck;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/** Collects results while the tests run. Thread-safe. */
final class ReportListener implements TestExecutionListener {
  private final TckProgress progress;
  private final Map<String, Long> begun = new ConcurrentHashMap<>();
  private final List<TckReport.Test> tests = new ArrayList<>();

  ReportListener(TckProgress progress) {
    this.progress = progress;
  }

  synchronized List<TckReport.Test> tests() {
    List<TckReport.Test> sorted = new ArrayList<>(tests);
    sorted.sort(Comparator.comparing(TckReport.Test::name));
    return sorted;
  }

  @Override
  public void executionStarted(TestIdentifier test) {
    begun.put(test.getUniqueId(), System.nanoTime());
    if (test.isTest()) {
      progress.started(name(test));
    }
  }

  @Override
  public void executionSkipped(TestIdentifier test, String reason) {
    add(test, TckReport.Status.SKIPPED, Optional.of(reason), Set.of());
  }

  @Override
  public void executionFinished(TestIdentifier test, TestExecutionResult result) {
    Throwable thrown = result.getThrowable().orElse(null);
    switch (result.getStatus()) {
      case SUCCESSFUL -> {
        if (test.isTest()) {
          add(test, TckReport.Status.PASSED, Optional.empty(), Set.of());
        }
      }
      case ABORTED -> add(test, TckReport.Status.SKIPPED, message(thrown), Set.of());
      case FAILED -> {
        Set<String> violated = violated(thrown);
        add(
            test,
            TckReport.Status.FAILED,
            message(thrown),
            violated.isEmpty() ? new TreeSet<>(rules(test)) : violated);
      }
    }
  }

  private void add(
      TestIdentifier test, TckReport.Status status, Optional<String> reason, Set<String> violated) {
    long from = begun.getOrDefault(test.getUniqueId(), System.nanoTime());
    TckReport.Test entry =
        new TckReport.Test(
            name(test),
            rules(test),
            scenarios(test),
            status,
            Duration.ofNanos(System.nanoTime() - from),
            violated,
            reason);
    synchronized (this) {
      tests.add(entry);
      progress.finished(entry);
    }
  }

  private static Optional<String> message(@org.jspecify.annotations.Nullable Throwable thrown) {
    return Optional.ofNullable(thrown).map(Throwable::toString);
  }

  private static Set<String> violated(@org.jspecify.annotations.Nullable Throwable thrown) {
    Set<String> rules = new TreeSet<>();
    Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    Deque<Throwable> todo = new ArrayDeque<>();
    if (thrown != null) {
      todo.add(thrown);
    }
    while (!todo.isEmpty()) {
      Throwable next = todo.remove();
      if (!seen.add(next)) {
        continue;
      }
      if (next instanceof RuleViolation violation) {
        rules.add(violation.rule());
        continue;
      }
      if (next.getCause() != null) {
        todo.add(next.getCause());
      }
      Collections.addAll(todo, next.getSuppressed());
    }
    return rules;
  }

  private static String name(TestIdentifier test) {
    return method(test)
        .map(
            method -> {
              String shown = test.getDisplayName();
              return shown.startsWith("[") ? method.getName() + " " + shown : method.getName();
            })
        .orElse(test.getDisplayName());
  }

  private static List<String> rules(TestIdentifier test) {
    return method(test)
        .map(method -> method.getAnnotation(Rule.class))
        .map(rule -> List.of(rule.value()))
        .orElse(List.of());
  }

  private static List<String> scenarios(TestIdentifier test) {
    return method(test)
        .map(method -> method.getAnnotation(Scenario.class))
        .map(scenario -> List.of(scenario.value()))
        .orElse(List.of());
  }

  private static Optional<Method> method(TestIdentifier test) {
    return test.getSource()
        .filter(MethodSource.class::isInstance)
        .map(source -> ((MethodSource) source).getJavaMethod());
  }
}
