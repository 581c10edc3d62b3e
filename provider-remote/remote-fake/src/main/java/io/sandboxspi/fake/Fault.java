package io.sandboxspi.fake;

import java.time.Duration;

/** What goes wrong with one request. */
public sealed interface Fault {
  /** The answer comes later. */
  record Delay(Duration time) implements Fault {}

  /** The request is carried out, but no answer comes, nor anything else. */
  record Stall() implements Fault {}

  /** The request is not carried out, and the connection ends. */
  record CutBefore() implements Fault {}

  /** The request is carried out, and the connection ends instead of an answer. */
  record CutAfter() implements Fault {}

  /**
   * Another answer comes, and the request is not carried out.
   *
   * @param retryAfter seconds; negative for none
   */
  record Refuse(int status, String contentType, String body, int retryAfter) implements Fault {}

  /** The request is carried out, and another answer comes. */
  record AnswerAfter(int status, String contentType, String body) implements Fault {}

  /** A stream's connection ends after so many messages. */
  record CutStream(int messages) implements Fault {}

  /** A stream is silent for ever after so many messages; keep-alives do not come either. */
  record SilentStream(int messages) implements Fault {}

  /** A stream sends each message twice from the second on. */
  record DuplicateStream() implements Fault {}

  /** A stream lacks its message of this number. */
  record DropMessage(int message) implements Fault {}

  /** A stream ends after so many messages with these bytes. */
  record SpoilStream(int messages, byte[] bytes) implements Fault {}

  /** Too many requests. */
  static Fault tooMany(int retryAfter) {
    return new Refuse(
        429, "application/json", "{\"code\":429,\"message\":\"Rate limit exceeded\"}", retryAfter);
  }

  /** An error of the server. */
  static Fault error(int status) {
    return new Refuse(
        status, "application/json", "{\"code\":" + status + ",\"message\":\"it failed\"}", -1);
  }

  /** A page instead of an answer. */
  static Fault page(int status) {
    return new Refuse(status, "text/html", "<html><body>sign in</body></html>", -1);
  }
}
