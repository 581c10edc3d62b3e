package io.sandboxspi.remote.transport;

import io.sandboxspi.SandboxException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * A provider's settings, by the names of its vendor's variables. One order for all: a property of
 * the JVM goes before a variable of the environment, and both before a file of the vendor's; an
 * option of the session, where there is one, goes before them all. What is empty is not set.
 */
public final class Variables implements UnaryOperator<String> {
  private final List<UnaryOperator<String>> sources;

  private Variables(List<UnaryOperator<String>> sources) {
    this.sources = sources;
  }

  /** Properties of this JVM and its environment. */
  public static Variables ofProcess() {
    return first(name -> System.getProperty(name, ""), Variables::variable);
  }

  private static String variable(String name) {
    String value = System.getenv(name);
    return value == null ? "" : value;
  }

  /** These and no others. */
  public static Variables of(Map<String, String> values) {
    Map<String, String> copy = Map.copyOf(values);
    return new Variables(List.of(name -> copy.getOrDefault(name, "")));
  }

  static Variables first(UnaryOperator<String> properties, UnaryOperator<String> environment) {
    return new Variables(List.of(properties, environment));
  }

  /** The stripped value; empty when it is not set. */
  @Override
  public String apply(String name) {
    for (UnaryOperator<String> source : sources) {
      String value = source.apply(name).strip();
      if (!value.isEmpty()) {
        return value;
      }
    }
    return "";
  }

  /**
   * An address of http or https without a slash at its end.
   *
   * @param field named in errors, which never show the text: it may hold a password
   */
  public static URI address(String field, String text) {
    String allowed = "an address as https://host/path";
    try {
      URI uri = URI.create(text.replaceAll("/+$", ""));
      boolean plain =
          ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))
              && uri.getHost() != null
              && uri.getRawUserInfo() == null
              && uri.getRawQuery() == null
              && uri.getRawFragment() == null;
      if (plain) {
        return uri;
      }
    } catch (IllegalArgumentException e) {
      throw SandboxException.invalid(field, "text that is no address", allowed);
    }
    throw SandboxException.invalid(field, "another address", allowed);
  }

  @Override
  public String toString() {
    return "Variables";
  }
}
