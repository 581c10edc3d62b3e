package io.sandboxspi.build;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The public and protected surface of a set of classes as sorted text.
 *
 * <p>What follows from the kind of a type is left out: canonical constructors and plain accessors
 * of records, {@code values} and {@code valueOf} of enums, overrides of {@link Object}'s methods.
 */
final class ApiDump {
  private static final Set<String> OBJECT_METHODS = Set.of("equals", "hashCode", "toString");

  /** A member, sorted as fields, constructors, methods, and by name. */
  private record Entry(int kind, String name, String text) implements Comparable<Entry> {
    @Override
    public int compareTo(Entry other) {
      return Comparator.comparingInt(Entry::kind)
          .thenComparing(Entry::name)
          .thenComparing(Entry::text)
          .compare(this, other);
    }
  }

  private ApiDump() {}

  static String of(Collection<Class<?>> classes) {
    return classes.stream()
        .filter(ApiDump::visible)
        .sorted(Comparator.comparing(Class::getName))
        .map(ApiDump::type)
        .collect(Collectors.joining("\n"));
  }

  static boolean visible(Class<?> type) {
    for (Class<?> each = type; each != null; each = each.getEnclosingClass()) {
      if (each.isAnonymousClass() || each.isLocalClass() || !visible(each.getModifiers())) {
        return false;
      }
    }
    return true;
  }

  private static String type(Class<?> type) {
    Set<Entry> members = new TreeSet<>();
    for (Class<?> each = type; each != null && ownSurface(type, each); each = superOf(each)) {
      addMembers(type, each, members);
    }
    StringBuilder text = new StringBuilder(header(type)).append(" {\n");
    if (type.isEnum()) {
      for (Object constant : type.getEnumConstants()) {
        text.append("  ").append(((Enum<?>) constant).name()).append(",\n");
      }
    }
    members.forEach(member -> text.append("  ").append(member.text()).append(";\n"));
    return text.append("}\n").toString();
  }

  /** A superclass that nobody can see lends its members to the types that extend it. */
  private static boolean ownSurface(Class<?> type, Class<?> declaring) {
    return declaring == type
        || (!visible(declaring) && declaring.getPackageName().startsWith("io.sandboxspi"));
  }

  private static Class<?> superOf(Class<?> type) {
    return type.getSuperclass() == null ? Object.class : type.getSuperclass();
  }

  private static String header(Class<?> type) {
    StringBuilder text = new StringBuilder(annotations(type)).append(modifiers(type));
    text.append(kind(type)).append(' ').append(type.getCanonicalName());
    text.append(TypeText.variables(type.getTypeParameters()).stripTrailing());
    if (type.isRecord()) {
      text.append(
          Arrays.stream(type.getRecordComponents())
              .map(part -> TypeText.of(part.getAnnotatedType()) + " " + part.getName())
              .collect(Collectors.joining(", ", "(", ")")));
    }
    AnnotatedType parent = type.getAnnotatedSuperclass();
    if (parent != null && !type.isRecord() && !type.isEnum() && parent.getType() != Object.class) {
      text.append(" extends ").append(TypeText.of(parent));
    }
    if (type.getInterfaces().length > 0 && !type.isAnnotation()) {
      text.append(type.isInterface() ? " extends " : " implements ");
      text.append(TypeText.list(type.getAnnotatedInterfaces()));
    }
    if (type.isSealed() && !type.isEnum()) {
      text.append(
          Arrays.stream(type.getPermittedSubclasses())
              .map(Class::getCanonicalName)
              .sorted()
              .collect(Collectors.joining(", ", " permits ", "")));
    }
    return text.toString();
  }

  private static String kind(Class<?> type) {
    if (type.isAnnotation()) {
      return "@interface";
    }
    if (type.isInterface()) {
      return "interface";
    }
    return type.isEnum() ? "enum" : type.isRecord() ? "record" : "class";
  }

  private static String modifiers(Class<?> type) {
    boolean implied = type.isInterface() || type.isEnum() || type.isRecord();
    List<String> words = new ArrayList<>();
    words.add(Modifier.isProtected(type.getModifiers()) ? "protected" : "public");
    if (type.isMemberClass() && Modifier.isStatic(type.getModifiers()) && !implied) {
      words.add("static");
    }
    if (!implied && Modifier.isAbstract(type.getModifiers())) {
      words.add("abstract");
    }
    if (!implied && Modifier.isFinal(type.getModifiers())) {
      words.add("final");
    }
    if (type.isSealed() && !type.isEnum()) {
      words.add("sealed");
    }
    return String.join(" ", words) + " ";
  }

  private static void addMembers(Class<?> type, Class<?> declaring, Set<Entry> members) {
    for (Field field : declaring.getDeclaredFields()) {
      if (shown(type, field, field.isSynthetic()) && !field.isEnumConstant()) {
        members.add(new Entry(0, field.getName(), field(field)));
      }
    }
    if (declaring == type) {
      for (Constructor<?> constructor : type.getDeclaredConstructors()) {
        if (shown(type, constructor, constructor.isSynthetic()) && !canonical(constructor)) {
          members.add(new Entry(1, "", constructor(constructor)));
        }
      }
    }
    for (Method method : declaring.getDeclaredMethods()) {
      if (shown(type, method, method.isSynthetic()) && !implied(type, method)) {
        members.add(new Entry(2, method.getName(), method(method)));
      }
    }
  }

  private static boolean shown(Class<?> type, Member member, boolean synthetic) {
    int modifiers = member.getModifiers();
    boolean unreachable =
        Modifier.isProtected(modifiers) && (Modifier.isFinal(type.getModifiers()) || type.isEnum());
    return !synthetic && visible(modifiers) && !unreachable;
  }

  private static boolean visible(int modifiers) {
    return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
  }

  private static boolean canonical(Constructor<?> constructor) {
    RecordComponent[] parts = constructor.getDeclaringClass().getRecordComponents();
    return parts != null
        && Arrays.equals(
            constructor.getParameterTypes(),
            Arrays.stream(parts).map(RecordComponent::getType).toArray(Class<?>[]::new));
  }

  private static boolean implied(Class<?> type, Method method) {
    String name = method.getName();
    if (OBJECT_METHODS.contains(name) && !type.isInterface()) {
      return true;
    }
    if (type.isEnum() && Modifier.isStatic(method.getModifiers())) {
      return name.equals("values") || name.equals("valueOf");
    }
    return type.isRecord()
        && Arrays.stream(type.getRecordComponents())
            .anyMatch(part -> part.getAccessor().equals(method));
  }

  private static String field(Field field) {
    return annotations(field)
        + modifiers(field)
        + TypeText.of(field.getAnnotatedType())
        + " "
        + field.getName()
        + constant(field);
  }

  /** Compilers copy constants into their callers, so a new value is a change of the API. */
  private static String constant(Field field) {
    Class<?> type = field.getType();
    int constant = Modifier.STATIC | Modifier.FINAL | Modifier.PUBLIC;
    boolean copied = type.isPrimitive() || type == String.class;
    if (!copied || (field.getModifiers() & constant) != constant) {
      return "";
    }
    try {
      Object value = field.get(null);
      return " = " + (value instanceof String text ? '"' + escape(text) + '"' : value);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(field.toString(), e);
    }
  }

  private static String escape(String text) {
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\"", "\\\"");
  }

  private static String constructor(Constructor<?> constructor) {
    return annotations(constructor)
        + modifiers(constructor)
        + TypeText.variables(constructor.getTypeParameters())
        + "<init>"
        + parameters(constructor);
  }

  private static String method(Method method) {
    Object value = method.getDefaultValue();
    return annotations(method)
        + modifiers(method)
        + (method.isDefault() ? "default " : "")
        + TypeText.variables(method.getTypeParameters())
        + TypeText.of(method.getAnnotatedReturnType())
        + " "
        + method.getName()
        + parameters(method)
        + (value == null ? "" : " default");
  }

  private static String parameters(Executable executable) {
    String list = TypeText.list(executable.getAnnotatedParameterTypes());
    if (executable.isVarArgs()) {
      list = list.substring(0, list.length() - "[]".length()) + "...";
    }
    AnnotatedType[] thrown = executable.getAnnotatedExceptionTypes();
    String exceptions =
        Arrays.stream(thrown).map(TypeText::of).sorted().collect(Collectors.joining(", "));
    return "(" + list + ")" + (thrown.length == 0 ? "" : " throws " + exceptions);
  }

  private static String modifiers(Member member) {
    int shown = Modifier.PUBLIC | Modifier.PROTECTED | Modifier.STATIC | Modifier.FINAL;
    if (!member.getDeclaringClass().isInterface()) {
      shown |= Modifier.ABSTRACT;
    }
    return Modifier.toString(member.getModifiers() & shown) + " ";
  }

  private static String annotations(AnnotatedElement element) {
    StringBuilder text = new StringBuilder();
    for (Annotation annotation : element.getDeclaredAnnotations()) {
      if (annotation instanceof Deprecated deprecated) {
        text.append(deprecated.forRemoval() ? "@Deprecated(forRemoval) " : "@Deprecated ");
      } else if (annotation instanceof FunctionalInterface) {
        text.append("@FunctionalInterface ");
      }
    }
    return text.toString();
  }
}
