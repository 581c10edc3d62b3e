package io.sandboxspi.tck.kit;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.SandboxException;
import io.sandboxspi.tck.RuleViolation;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Objects;
import java.util.Set;

/** Assertions that name the rule they are about. */
public final class Expect {
  private Expect() {}

  /** Work that may throw anything. */
  @FunctionalInterface
  public interface Work {
    /** Does it. */
    void run() throws Exception;
  }

  /** Holds, or the rule is broken. */
  public static void that(String rule, boolean holds, String message, Object... arguments) {
    if (!holds) {
      throw new RuleViolation(rule, String.format(message, arguments));
    }
  }

  /** Equal, or the rule is broken. */
  public static void same(String rule, Object expected, Object seen, String what) {
    if (!Objects.equals(expected, seen)) {
      throw new RuleViolation(
          rule, what + ": expected " + shown(expected) + ", seen " + shown(seen));
    }
  }

  /** The work fails with this code, or the rule is broken. */
  public static SandboxException code(String rule, ErrorCode code, Work work)
      throws InterruptedException {
    try {
      work.run();
    } catch (SandboxException e) {
      if (e.code() == code) {
        return e;
      }
      throw new RuleViolation(rule, "expected " + code + ", seen " + e.code(), e);
    } catch (InterruptedException | RuleViolation e) {
      throw Expect.<RuntimeException>sneaky(e);
    } catch (Exception e) {
      throw new RuleViolation(rule, "expected " + code + ", seen " + e, e);
    }
    throw new RuleViolation(rule, "expected " + code + ", but nothing was thrown");
  }

  /** The failure is a {@link SandboxException} of this code, or the rule is broken. */
  public static SandboxException code(String rule, ErrorCode code, Throwable failure) {
    if (failure instanceof SandboxException e && e.code() == code) {
      return e;
    }
    throw new RuleViolation(rule, "expected " + code + ", seen " + failure, failure);
  }

  /** Whether a throwable is, was caused by, or suppresses another one. */
  public static boolean carries(Throwable top, Throwable sought) {
    Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    Deque<Throwable> todo = new ArrayDeque<>();
    todo.add(top);
    while (!todo.isEmpty()) {
      Throwable next = todo.remove();
      if (next == sought) {
        return true;
      }
      if (seen.add(next)) {
        if (next.getCause() != null) {
          todo.add(next.getCause());
        }
        Collections.addAll(todo, next.getSuppressed());
      }
    }
    return false;
  }

  private static String shown(Object value) {
    String text = String.valueOf(value);
    return text.length() <= 300
        ? text
        : text.substring(0, 150)
            + "…("
            + text.length()
            + ")…"
            + text.substring(text.length() - 100);
  }

  @SuppressWarnings("unchecked")
  private static <T extends Throwable> RuntimeException sneaky(Throwable failure) throws T {
    throw (T) failure;
  }
}
