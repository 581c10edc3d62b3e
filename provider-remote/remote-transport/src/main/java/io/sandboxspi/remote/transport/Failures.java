package io.sandboxspi.remote.transport;

import io.sandboxspi.remote.transport.RemoteException.Kind;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpHeaders;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;

/** Failures of the JDK's client, and refusals, as {@link RemoteException}. */
final class Failures {
  private static final List<String> REQUEST_IDS =
      List.of("x-request-id", "request-id", "x-trace-id", "x-amzn-requestid", "cf-ray");

  private Failures() {}

  static RemoteException of(HttpCall call, Throwable failure) {
    Throwable cause = failure;
    while ((cause instanceof CompletionException || cause instanceof ExecutionException)
        && cause.getCause() != null) {
      cause = cause.getCause();
    }
    for (Throwable each = cause; each != null; each = each.getCause()) {
      if (each instanceof RemoteException known) {
        return known;
      }
    }
    Kind kind = kind(cause);
    String words =
        switch (kind) {
          case UNREACHABLE -> call.uri().getHost() + " cannot be reached";
          case TLS -> "the identity of " + call.uri().getHost() + " is not proven";
          case CLOSED -> "it was given up";
          default -> "the connection broke";
        };
    String detail =
        cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    return new RemoteException(
        kind, call.what() + ": " + words + " (" + call.hide(detail) + ")", cause);
  }

  private static Kind kind(Throwable failure) {
    for (Throwable each = failure; each != null; each = each.getCause()) {
      if (each instanceof SSLHandshakeException || each instanceof SSLPeerUnverifiedException) {
        return Kind.TLS;
      }
      if (each instanceof ConnectException
          || each instanceof HttpConnectTimeoutException
          || each instanceof UnresolvedAddressException
          || each instanceof UnknownHostException
          || each instanceof NoRouteToHostException) {
        return Kind.UNREACHABLE;
      }
      if (each instanceof HttpTimeoutException) {
        return Kind.TIMEOUT;
      }
      if (each instanceof CancellationException) {
        return Kind.CLOSED;
      }
    }
    return Kind.BROKEN;
  }

  static RemoteException timeout(HttpCall call) {
    return new RemoteException(
        Kind.TIMEOUT, call.what() + ": no whole answer came before the deadline");
  }

  static RemoteException refused(
      HttpCall call, int status, HttpHeaders headers, byte[] body, ErrorBody.Reader reader) {
    ErrorBody said = Json.parse(body).map(reader::read).orElse(new ErrorBody("", ""));
    String words =
        said.message().isEmpty() ? Json.looks(body) : ": " + call.hide(said.shortMessage());
    String requestId = requestId(headers);
    Optional<Duration> wait = retryAfter(headers.map());
    String text = call.what() + ": refused with status " + status + words;
    return said.code().isEmpty() && said.message().isEmpty()
        ? RemoteException.turnedAway(status, requestId, wait, text)
        : RemoteException.refused(status, said.code(), requestId, wait, text);
  }

  static String requestId(HttpHeaders headers) {
    for (String name : REQUEST_IDS) {
      Optional<String> value = headers.firstValue(name);
      if (value.isPresent() && value.get().matches("[\\w.:/+=-]{1,128}")) {
        return value.get();
      }
    }
    return "";
  }

  /**
   * {@code Retry-After}, or a header that only begins so; in seconds or as a date, which counts by
   * the peer's clock.
   */
  static Optional<Duration> retryAfter(Map<String, List<String>> headers) {
    ZonedDateTime now =
        headers.entrySet().stream()
            .filter(header -> header.getKey().equalsIgnoreCase("Date"))
            .flatMap(header -> header.getValue().stream())
            .flatMap(value -> date(value).stream())
            .findFirst()
            .orElseGet(() -> ZonedDateTime.now(java.time.ZoneOffset.UTC));
    for (Map.Entry<String, List<String>> header : headers.entrySet()) {
      String name = header.getKey().toLowerCase(java.util.Locale.ROOT);
      if ((name.equals("retry-after") || name.startsWith("retry-after-"))
          && !header.getValue().isEmpty()) {
        Optional<Duration> wait = wait(header.getValue().get(0).strip(), now);
        if (wait.isPresent()) {
          return wait;
        }
      }
    }
    return Optional.empty();
  }

  private static Optional<Duration> wait(String value, ZonedDateTime now) {
    if (value.matches("[0-9]{1,9}(\\.[0-9]{1,3})?")) {
      return Optional.of(Duration.ofMillis(Math.round(Double.parseDouble(value) * 1000)));
    }
    return date(value)
        .map(then -> Duration.between(now, then))
        .map(until -> until.isNegative() ? Duration.ZERO : until);
  }

  private static Optional<ZonedDateTime> date(String value) {
    try {
      return Optional.of(ZonedDateTime.parse(value, DateTimeFormatter.RFC_1123_DATE_TIME));
    } catch (DateTimeException notDate) {
      return Optional.empty();
    }
  }
}
