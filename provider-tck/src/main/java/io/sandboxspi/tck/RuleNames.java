package io.sandboxspi.tck;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.DisplayNameGenerator;

/** Shows a test as its rule ids, its scenarios, and its method name as words. */
public final class RuleNames extends DisplayNameGenerator.Standard {
  /** For JUnit. */
  public RuleNames() {}

  @Override
  public String generateDisplayNameForMethod(
      List<Class<?>> enclosingInstanceTypes, Class<?> testClass, Method testMethod) {
    return of(testMethod);
  }

  /** The name shown for a test method. */
  static String of(Method method) {
    StringBuilder name = new StringBuilder();
    Rule rule = method.getAnnotation(Rule.class);
    if (rule != null) {
      name.append(String.join(" ", rule.value()));
    }
    Scenario scenario = method.getAnnotation(Scenario.class);
    if (scenario != null) {
      name.append(" (").append(String.join(" ", scenario.value())).append(')');
    }
    String words = method.getName().substring(method.getName().lastIndexOf('_') + 1);
    words = words.replaceAll("(?<=[a-z0-9])(?=[A-Z])", " ").toLowerCase(Locale.ROOT);
    return name.append(": ").append(words).toString();
  }
}
