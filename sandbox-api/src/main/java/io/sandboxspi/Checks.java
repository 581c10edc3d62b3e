package io.sandboxspi;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Argument checks with one error form (spec S-VAL-01). */
final class Checks {
  private static final Pattern ENVIRONMENT_NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

  private static final Pattern USER = Pattern.compile("[A-Za-z_][A-Za-z0-9_.-]{0,31}");

  private Checks() {}

  static void range(String field, long value, long min, long max) {
    if (value < min || value > max) {
      throw SandboxException.invalid(field, value, min + " to " + max);
    }
  }

  static void positive(String field, Duration value) {
    if (value.isNegative() || value.isZero()) {
      throw SandboxException.invalid(field, value, "a duration above zero");
    }
  }

  static List<String> argv(List<String> argv) {
    List<String> copy = List.copyOf(argv);
    if (copy.isEmpty() || copy.get(0).isEmpty()) {
      throw SandboxException.invalid("argv", "empty", "a program and its arguments");
    }
    for (int i = 0; i < copy.size(); i++) {
      noNul("argv[" + i + "]", copy.get(i));
    }
    return copy;
  }

  static void noNul(String field, String value) {
    if (value.indexOf('\0') >= 0) {
      throw SandboxException.invalid(field, "text with a NUL character", "text without NUL");
    }
  }

  /** Values are never named in the error: they may be secrets (spec S-ERR-03). */
  static Map<String, String> environment(Map<String, String> environment) {
    Map<String, String> copy = Map.copyOf(environment);
    copy.forEach(
        (name, value) -> {
          if (!ENVIRONMENT_NAME.matcher(name).matches()) {
            throw SandboxException.invalid(
                "environment name", '"' + name + '"', ENVIRONMENT_NAME.pattern());
          }
          noNul("environment value of " + name, value);
        });
    return copy;
  }

  /** Also what a shell and the tools that make accounts take for a name. */
  static String user(String user) {
    if (!USER.matcher(user).matches()) {
      throw SandboxException.invalid(
          "user", '"' + user + '"', "the name of an account: " + USER.pattern());
    }
    return user;
  }

  static String workdir(String workdir) {
    if (workdir.isEmpty()) {
      throw SandboxException.invalid("workdir", "empty", "a POSIX path in the workspace");
    }
    noNul("workdir", workdir);
    return workdir;
  }
}
