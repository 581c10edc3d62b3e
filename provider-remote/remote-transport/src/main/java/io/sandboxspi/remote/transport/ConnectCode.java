package io.sandboxspi.remote.transport;

import java.util.Map;

/** Codes of the Connect protocol. */
public final class ConnectCode {
  /** No such thing. */
  public static final String NOT_FOUND = "not_found";

  /** It is there already. */
  public static final String ALREADY_EXISTS = "already_exists";

  /** A value is wrong. */
  public static final String INVALID_ARGUMENT = "invalid_argument";

  /** Not in this state. */
  public static final String FAILED_PRECONDITION = "failed_precondition";

  /** The peer's deadline passed. */
  public static final String DEADLINE_EXCEEDED = "deadline_exceeded";

  /** Who asks is not known. */
  public static final String UNAUTHENTICATED = "unauthenticated";

  /** Too many, or full. */
  public static final String RESOURCE_EXHAUSTED = "resource_exhausted";

  /** Not there at the moment. */
  public static final String UNAVAILABLE = "unavailable";

  /** A defect of the peer. */
  public static final String INTERNAL = "internal";

  private static final Map<String, Integer> STATUS =
      Map.ofEntries(
          Map.entry("canceled", 499),
          Map.entry("unknown", 500),
          Map.entry(INVALID_ARGUMENT, 400),
          Map.entry(DEADLINE_EXCEEDED, 504),
          Map.entry(NOT_FOUND, 404),
          Map.entry(ALREADY_EXISTS, 409),
          Map.entry("permission_denied", 403),
          Map.entry(RESOURCE_EXHAUSTED, 429),
          Map.entry(FAILED_PRECONDITION, 400),
          Map.entry("aborted", 409),
          Map.entry("out_of_range", 400),
          Map.entry("unimplemented", 501),
          Map.entry(INTERNAL, 500),
          Map.entry(UNAVAILABLE, 503),
          Map.entry("data_loss", 500),
          Map.entry(UNAUTHENTICATED, 401));

  private ConnectCode() {}

  /** The HTTP status that goes with a code; 500 for an unknown one. */
  public static int status(String code) {
    return STATUS.getOrDefault(code, 500);
  }

  /** The code of a refusal, also of one that comes from a proxy and has a status only. */
  public static String of(RemoteException refusal) {
    if (STATUS.containsKey(refusal.code())) {
      return refusal.code();
    }
    return switch (refusal.status()) {
      case 400 -> INVALID_ARGUMENT;
      case 401 -> UNAUTHENTICATED;
      case 403 -> "permission_denied";
      case 404 -> NOT_FOUND;
      case 409 -> ALREADY_EXISTS;
      case 413, 429 -> RESOURCE_EXHAUSTED;
      case 499 -> "canceled";
      case 500 -> INTERNAL;
      case 502, 503 -> UNAVAILABLE;
      case 504 -> DEADLINE_EXCEEDED;
      default -> "unknown";
    };
  }
}
