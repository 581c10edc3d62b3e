package io.sandboxspi.remote.transport;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A call, stream or socket failed. For providers: they turn it into a {@link SandboxException}. Its
 * text holds no secret and no content.
 */
public final class RemoteException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** What failed. */
  public enum Kind {
    /** No connection could be made: nothing was sent. */
    UNREACHABLE,
    /** The peer's identity could not be proven: nothing was sent. */
    TLS,
    /** No whole answer came before the deadline. */
    TIMEOUT,
    /** Nothing came for longer than a stream may be silent. */
    STALLED,
    /** The connection broke, or ended before its content did. */
    BROKEN,
    /** The peer answered and refused; {@link #status()} and {@link #code()} say how. */
    REFUSED,
    /** The answer is not what it should be. */
    MALFORMED,
    /** The answer is longer than is allowed. */
    TOO_LARGE,
    /** This side closed it. */
    CLOSED
  }

  private final Kind kind;
  private final int status;
  private final String code;
  private final String requestId;
  private final @Nullable Duration retryAfter;
  private final boolean vendor;

  private RemoteException(
      Kind kind,
      int status,
      String code,
      String requestId,
      @Nullable Duration retryAfter,
      boolean vendor,
      String message,
      @Nullable Throwable cause) {
    super(message, cause);
    this.kind = kind;
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
    this.vendor = vendor;
  }

  /** A failure without an answer. */
  public RemoteException(Kind kind, String message) {
    this(kind, 0, "", "", null, false, message, null);
  }

  /** A failure without an answer. */
  public RemoteException(Kind kind, String message, Throwable cause) {
    this(kind, 0, "", "", null, false, message, cause);
  }

  /**
   * The vendor refused, in words of its own.
   *
   * @param status as {@link #status()}
   * @param code as {@link #code()}
   * @param requestId as {@link #requestId()}
   * @param retryAfter as {@link #retryAfter()}
   */
  public static RemoteException refused(
      int status, String code, String requestId, Optional<Duration> retryAfter, String message) {
    return new RemoteException(
        Kind.REFUSED, status, code, requestId, retryAfter.orElse(null), true, message, null);
  }

  /** As {@link #refused}, by somebody who may only stand between here and the vendor. */
  static RemoteException turnedAway(
      int status, String requestId, Optional<Duration> retryAfter, String message) {
    return new RemoteException(
        Kind.REFUSED, status, "", requestId, retryAfter.orElse(null), false, message, null);
  }

  /** What failed. */
  public Kind kind() {
    return kind;
  }

  /** The HTTP status of the answer; 0 without one. */
  public int status() {
    return status;
  }

  /** The vendor's own code; empty without one. */
  public String code() {
    return code;
  }

  /** The vendor's name for the request, for its support; empty without one. */
  public String requestId() {
    return requestId;
  }

  /** How long the peer asks to wait. */
  public Optional<Duration> retryAfter() {
    return Optional.ofNullable(retryAfter);
  }

  /** Whether the peer refused with this status. */
  public boolean refusedWith(int value) {
    return kind == Kind.REFUSED && status == value;
  }

  /**
   * Whether the vendor itself refused with this status, in an object of JSON with a code or a
   * message. The page of a proxy proves nothing of what it stands before.
   */
  public boolean said(int value) {
    return vendor && refusedWith(value);
  }

  /** Whether the request provably had no effect, cannot have one, or may have had one. */
  public Retryable retryable() {
    return switch (kind) {
      case UNREACHABLE -> Retryable.YES;
      case TLS -> Retryable.NO;
      case REFUSED ->
          switch (status) {
            case 429, 503 -> Retryable.YES;
            default -> status >= 500 ? Retryable.UNKNOWN : Retryable.NO;
          };
      case TIMEOUT, STALLED, BROKEN, MALFORMED, TOO_LARGE, CLOSED -> Retryable.UNKNOWN;
    };
  }

  /** Whether the vendor has done nothing of what was asked: it was not sent, or plainly refused. */
  public boolean nothingDone() {
    return kind == Kind.UNREACHABLE || kind == Kind.TLS || (kind == Kind.REFUSED && status < 500);
  }

  /** Begins the error for a caller, with all that is known. */
  public SandboxException.Builder as(ErrorCode errorCode, Operation operation) {
    SandboxException.Builder builder =
        SandboxException.builder(errorCode, operation, String.valueOf(getMessage()))
            .cause(this)
            .retryable(retryable())
            .context("failure", kind);
    if (status != 0) {
      builder.context("status", status);
    }
    if (!code.isEmpty()) {
      builder.context("vendorCode", code);
    }
    if (!requestId.isEmpty()) {
      builder.context("requestId", requestId);
    }
    retryAfter().ifPresent(wait -> builder.context("retryAfter", wait));
    return builder;
  }
}
