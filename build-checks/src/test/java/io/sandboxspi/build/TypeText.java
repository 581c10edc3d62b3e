package io.sandboxspi.build;

import java.lang.reflect.AnnotatedArrayType;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.AnnotatedTypeVariable;
import java.lang.reflect.AnnotatedWildcardType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.TypeVariable;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.NonNull;
import org.jspecify.annotations.Nullable;

/** Writes types as text with generics and nullness, the same on every JDK. */
final class TypeText {
  private TypeText() {}

  static String of(AnnotatedType type) {
    if (type instanceof AnnotatedArrayType array) {
      return of(array.getAnnotatedGenericComponentType()) + nullness(type, " ") + "[]";
    }
    return nullness(type, "") + plain(type);
  }

  static String list(AnnotatedType[] types) {
    return Arrays.stream(types).map(TypeText::of).collect(Collectors.joining(", "));
  }

  /** {@code <T extends Foo & Bar>} with a space behind it, or nothing. */
  static String variables(TypeVariable<?>[] variables) {
    if (variables.length == 0) {
      return "";
    }
    return Arrays.stream(variables)
        .map(variable -> variable.getName() + bounds(" extends ", variable.getAnnotatedBounds()))
        .collect(Collectors.joining(", ", "<", "> "));
  }

  private static String plain(AnnotatedType type) {
    if (type instanceof AnnotatedParameterizedType parameterized) {
      Class<?> raw = (Class<?>) ((ParameterizedType) type.getType()).getRawType();
      return raw.getCanonicalName()
          + "<"
          + list(parameterized.getAnnotatedActualTypeArguments())
          + ">";
    }
    if (type instanceof AnnotatedWildcardType wildcard) {
      AnnotatedType[] lower = wildcard.getAnnotatedLowerBounds();
      return lower.length > 0
          ? "?" + bounds(" super ", lower)
          : "?" + bounds(" extends ", wildcard.getAnnotatedUpperBounds());
    }
    if (type instanceof AnnotatedTypeVariable variable) {
      return ((TypeVariable<?>) variable.getType()).getName();
    }
    return ((Class<?>) type.getType()).getCanonicalName();
  }

  private static String bounds(String keyword, AnnotatedType[] bounds) {
    boolean trivial =
        bounds.length == 0
            || (bounds.length == 1 && of(bounds[0]).equals(Object.class.getCanonicalName()));
    if (trivial) {
      return "";
    }
    return keyword + Arrays.stream(bounds).map(TypeText::of).collect(Collectors.joining(" & "));
  }

  private static String nullness(AnnotatedElement type, String before) {
    if (type.isAnnotationPresent(Nullable.class)) {
      return before + "@Nullable ";
    }
    return type.isAnnotationPresent(NonNull.class) ? before + "@NonNull " : "";
  }
}
