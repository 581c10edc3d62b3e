package io.sandboxspi.build;

import com.tngtech.archunit.core.domain.JavaAnnotation;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.properties.CanBeAnnotated;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The rule ids that compiled tests carry, by {@code @Rule} or {@code @Tag} on a test method or on a
 * class around it. A disabled test carries nothing.
 */
final class TestedRules {
  private static final String DISABLED = "org.junit.jupiter.api.Disabled";
  private static final String TESTABLE = "org.junit.platform.commons.annotation.Testable";

  private final Map<String, Set<String>> tests = new TreeMap<>();
  private final Set<String> withoutRule = new TreeSet<>();

  private TestedRules() {}

  static TestedRules of(JavaClasses classes) {
    TestedRules rules = new TestedRules();
    for (JavaClass type : classes) {
      for (JavaMethod method : type.getMethods()) {
        if (method.isMetaAnnotatedWith(TESTABLE) && !method.isAnnotatedWith(DISABLED)) {
          rules.add(type, method);
        }
      }
    }
    return rules;
  }

  /** Rule id to the tests that carry it. */
  Map<String, Set<String>> tests() {
    return tests;
  }

  /** Tests that carry no rule id. */
  Set<String> withoutRule() {
    return withoutRule;
  }

  private void add(JavaClass type, JavaMethod method) {
    Set<String> ids = new TreeSet<>();
    collect(method, ids);
    for (JavaClass each = type; each != null; each = each.getEnclosingClass().orElse(null)) {
      if (each.isAnnotatedWith(DISABLED)) {
        return;
      }
      collect(each, ids);
    }
    String name = type.getSimpleName() + "." + method.getName();
    if (ids.isEmpty()) {
      withoutRule.add(name);
    }
    ids.forEach(id -> tests.computeIfAbsent(id, key -> new TreeSet<>()).add(name));
  }

  private static void collect(CanBeAnnotated element, Set<String> ids) {
    if (element instanceof JavaClass type) {
      type.getAnnotations().forEach(annotation -> collect(annotation, ids));
    } else if (element instanceof JavaMethod method) {
      method.getAnnotations().forEach(annotation -> collect(annotation, ids));
    }
  }

  private static void collect(JavaAnnotation<?> annotation, Set<String> ids) {
    String name = annotation.getRawType().getSimpleName();
    if (Set.of("Rule", "Rules", "Tag", "Tags").contains(name)) {
      annotation.get("value").ifPresent(value -> collect(name.startsWith("Rule"), value, ids));
    }
  }

  private static void collect(boolean rule, Object value, Set<String> ids) {
    if (value instanceof JavaAnnotation<?> inner) {
      collect(inner, ids);
    } else if (value instanceof Object[] values) {
      for (Object each : values) {
        collect(rule, each, ids);
      }
    } else if (rule || SpecRules.ID.matcher(value.toString()).matches()) {
      ids.add(value.toString());
    }
  }
}
