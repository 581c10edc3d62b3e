package io.sandboxspi;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The one unchecked exception of this library (spec S-ERR-01). The context never holds secrets,
 * file contents or environment values (spec S-ERR-03). Thread-safe.
 */
public class SandboxException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final ErrorCode code;
  private final Operation operation;
  private final Retryable retryable;
  private final transient Map<String, String> context;
  private final transient @Nullable ExecResult partialResult;

  private SandboxException(Builder builder) {
    super(builder.message, builder.cause);
    this.code = builder.code;
    this.operation = builder.operation;
    this.retryable = builder.retryable;
    this.context = Collections.unmodifiableMap(new LinkedHashMap<>(builder.context));
    this.partialResult = builder.partialResult;
  }

  /**
   * Starts an exception.
   *
   * @param code the stable code
   * @param operation the operation that failed
   * @param message one sentence: the field or object, the value, what is allowed
   */
  public static Builder builder(ErrorCode code, Operation operation, String message) {
    return new Builder(code, operation, message);
  }

  /** An exception without cause or context that is not retryable. */
  public static SandboxException of(ErrorCode code, Operation operation, String message) {
    return builder(code, operation, message).build();
  }

  /** The error for a bad value: names the field, the value and what is allowed (spec S-VAL-01). */
  public static SandboxException invalid(String field, Object value, String allowed) {
    return builder(
            ErrorCode.INVALID_ARGUMENT,
            Operation.VALIDATE,
            field + " is " + value + "; allowed: " + allowed)
        .context("field", field)
        .build();
  }

  /** The stable code. */
  public ErrorCode code() {
    return code;
  }

  /** The operation that failed. */
  public Operation operation() {
    return operation;
  }

  /** Whether sending the call again may help. */
  public Retryable retryable() {
    return retryable;
  }

  /** Facts for logs and tools, unmodifiable, without secrets; empty after deserialisation. */
  public Map<String, String> context() {
    return context == null ? Map.of() : context;
  }

  /** What a command had printed when it was ended; only for {@link ErrorCode#EXEC_TIMEOUT}. */
  public Optional<ExecResult> partialResult() {
    return Optional.ofNullable(partialResult);
  }

  /** Builder; not thread-safe. */
  public static final class Builder {
    private final ErrorCode code;
    private final Operation operation;
    private final String message;
    private final Map<String, String> context = new LinkedHashMap<>();
    private Retryable retryable = Retryable.NO;
    private @Nullable Throwable cause;
    private @Nullable ExecResult partialResult;

    private Builder(ErrorCode code, Operation operation, String message) {
      this.code = Objects.requireNonNull(code, "code");
      this.operation = Objects.requireNonNull(operation, "operation");
      this.message = Objects.requireNonNull(message, "message");
    }

    /** Sets the cause. */
    public Builder cause(Throwable value) {
      this.cause = value;
      return this;
    }

    /** Sets whether a retry may help; {@link Retryable#NO} unless set. */
    public Builder retryable(Retryable value) {
      this.retryable = value;
      return this;
    }

    /** Adds a fact; never a secret. */
    public Builder context(String key, Object value) {
      context.put(key, String.valueOf(value));
      return this;
    }

    /** Attaches the output captured so far. */
    public Builder partialResult(ExecResult value) {
      this.partialResult = value;
      return this;
    }

    /** Makes the exception. */
    public SandboxException build() {
      return new SandboxException(this);
    }
  }
}
