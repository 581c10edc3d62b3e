package io.sandboxspi.remote.modal;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import io.grpc.Metadata;
import io.grpc.Status;
import io.sandboxspi.remote.modal.wire.RPCRetryPolicy;
import io.sandboxspi.remote.modal.wire.RPCStatus;
import io.sandboxspi.remote.transport.ConnectCode;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/** Statuses of gRPC as {@link RemoteException}. */
final class Failures {
  private static final Metadata.Key<byte[]> DETAILS =
      Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER);
  private static final Metadata.Key<String> CONTENT_TYPE =
      Metadata.Key.of("content-type", Metadata.ASCII_STRING_MARSHALLER);
  private static final String RETRY_POLICY = "modal.client.RPCRetryPolicy";
  private static final int LONGEST = 300;

  private Failures() {}

  /**
   * Of a call.
   *
   * @param what was called
   * @param hide takes secrets out of a text
   */
  static RemoteException of(
      String what, Status status, @Nullable Metadata trailers, UnaryOperator<String> hide) {
    Metadata known = trailers == null ? new Metadata() : trailers;
    Kind kind = kind(status, known);
    String said = status.getDescription() == null ? "" : firstLine(status.getDescription());
    String text =
        what
            + ": "
            + switch (kind) {
              case UNREACHABLE -> "the server cannot be reached";
              case TLS -> "the identity of the server is not proven";
              case TIMEOUT -> "no answer came before the deadline";
              case BROKEN -> "the connection broke";
              case MALFORMED -> "the answer is not the vendor's";
              case TOO_LARGE -> "the answer is too long";
              default -> "refused with " + code(status);
            }
            + (said.isEmpty() ? "" : " (" + hide.apply(said) + ")");
    if (kind == Kind.REFUSED) {
      return RemoteException.refused(
          ConnectCode.status(code(status)), code(status), "", retryAfter(known), text);
    }
    Throwable cause = status.getCause();
    return cause == null ? new RemoteException(kind, text) : new RemoteException(kind, text, cause);
  }

  private static String code(Status status) {
    return status.getCode().name().toLowerCase(Locale.ROOT);
  }

  /** What a proxy sends instead of an answer is quoted by gRPC, lines long. */
  private static String firstLine(String text) {
    String line = text.lines().findFirst().orElse("").strip();
    return line.length() <= LONGEST ? line : line.substring(0, LONGEST) + "...";
  }

  private static Kind kind(Status status, Metadata trailers) {
    for (Throwable each = status.getCause(); each != null; each = each.getCause()) {
      if (each instanceof SSLHandshakeException || each instanceof SSLPeerUnverifiedException) {
        return Kind.TLS;
      }
      if (each instanceof ConnectException || each instanceof UnknownHostException) {
        return Kind.UNREACHABLE;
      }
      if (each instanceof InvalidProtocolBufferException) {
        return Kind.MALFORMED;
      }
    }
    String type = trailers.get(CONTENT_TYPE);
    if (type != null && !type.startsWith("application/grpc")) {
      return Kind.MALFORMED;
    }
    return switch (status.getCode()) {
      // Nobody knows whether the call had its effect.
      case UNAVAILABLE, CANCELLED -> retryAfter(trailers).isPresent() ? Kind.REFUSED : Kind.BROKEN;
      case DEADLINE_EXCEEDED -> Kind.TIMEOUT;
      // The one refusal that gRPC itself makes has no mark of its own.
      case RESOURCE_EXHAUSTED ->
          String.valueOf(status.getDescription()).startsWith("gRPC message exceeds")
              ? Kind.TOO_LARGE
              : Kind.REFUSED;
      default -> Kind.REFUSED;
    };
  }

  /** How long the vendor asks to wait, whatever the status is. */
  static Optional<Duration> retryAfter(Metadata trailers) {
    byte[] details = trailers.get(DETAILS);
    if (details == null) {
      return Optional.empty();
    }
    try {
      for (Any detail : RPCStatus.parseFrom(details).getDetailsList()) {
        if (detail.getTypeUrl().endsWith(RETRY_POLICY)) {
          float seconds = RPCRetryPolicy.parseFrom(detail.getValue()).getRetryAfterSecs();
          return Optional.of(Duration.ofMillis((long) Math.max(0, seconds * 1000)));
        }
      }
    } catch (InvalidProtocolBufferException notOurs) {
      return Optional.empty();
    }
    return Optional.empty();
  }

  /** Whether another attempt at the same may go better. */
  static boolean transientOne(RemoteException e) {
    return switch (e.kind()) {
      case BROKEN, UNREACHABLE, TIMEOUT -> true;
      case REFUSED -> e.code().equals(ConnectCode.INTERNAL) || e.code().equals("unknown");
      default -> false;
    };
  }

  static boolean refused(RemoteException e, String code) {
    return e.kind() == Kind.REFUSED && e.code().equals(code);
  }
}
