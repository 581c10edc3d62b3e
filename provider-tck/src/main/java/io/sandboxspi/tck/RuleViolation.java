package io.sandboxspi.tck;

/** A rule does not hold. Names the one rule that a test found broken, where it checks several. */
public final class RuleViolation extends AssertionError {
  private static final long serialVersionUID = 1L;

  private final String rule;

  /** With what was expected and what was seen. */
  public RuleViolation(String rule, String message) {
    super(rule + ": " + message);
    this.rule = rule;
  }

  /** As above, with what was thrown. */
  public RuleViolation(String rule, String message, Throwable cause) {
    super(rule + ": " + message, cause);
    this.rule = rule;
  }

  /** The rule's id. */
  public String rule() {
    return rule;
  }
}
