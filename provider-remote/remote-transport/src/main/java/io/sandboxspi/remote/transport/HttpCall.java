package io.sandboxspi.remote.transport;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A request. Immutable: each method returns a changed copy. A GET may be repeated, others only if
 * asked for.
 */
public final class HttpCall {
  private static final long REPLY_LIMIT = 16L << 20;
  private static final byte[] NOTHING = new byte[0];

  private final String what;
  private final String method;
  private final URI uri;
  private final Map<String, String> headers;
  private final Map<String, Secret> secrets;
  private final byte[] body;
  private final Optional<InputStream> upload;
  private final Repeat repeat;
  private final long limit;

  private HttpCall(
      String what,
      String method,
      URI uri,
      Map<String, String> headers,
      Map<String, Secret> secrets,
      byte[] body,
      Optional<InputStream> upload,
      Repeat repeat,
      long limit) {
    this.what = what;
    this.method = method;
    this.uri = uri;
    this.headers = headers;
    this.secrets = secrets;
    this.body = body;
    this.upload = upload;
    this.repeat = repeat;
    this.limit = limit;
  }

  /**
   * A request without a body.
   *
   * @param what begins every error, as {@code creating the sandbox}
   * @param method as {@code POST}
   * @param uri absolute; its query is never shown
   */
  public static HttpCall of(String what, String method, URI uri) {
    return new HttpCall(
        what,
        method,
        uri,
        Map.of(),
        Map.of(),
        NOTHING,
        Optional.empty(),
        method.equals("GET") ? Repeat.ALWAYS : Repeat.NEVER,
        REPLY_LIMIT);
  }

  private HttpCall with(Map<String, String> newHeaders, Map<String, Secret> newSecrets) {
    return new HttpCall(what, method, uri, newHeaders, newSecrets, body, upload, repeat, limit);
  }

  /** With a header. */
  public HttpCall header(String name, String value) {
    Map<String, String> more = new LinkedHashMap<>(headers);
    more.put(name, value);
    return with(more, secrets);
  }

  /** With a header whose value is never shown. */
  public HttpCall secret(String name, Secret value) {
    return secret(name, "", value);
  }

  /** With a header of a prefix, as {@code Bearer} and a space, and a value that is never shown. */
  public HttpCall secret(String name, String prefix, Secret value) {
    Map<String, String> plain = new LinkedHashMap<>(headers);
    plain.put(name, prefix);
    Map<String, Secret> more = new LinkedHashMap<>(secrets);
    more.put(name, value);
    return with(plain, more);
  }

  /** With a body of JSON. */
  public HttpCall json(JsonNode value) {
    return bytes("application/json", Json.bytes(value));
  }

  /** With a body. */
  public HttpCall bytes(String contentType, byte[] value) {
    return new HttpCall(what, method, uri, headers, secrets, value, Optional.empty(), repeat, limit)
        .header("Content-Type", contentType);
  }

  /** With the rest of a stream as its body, which is sent while it is read; once at most. */
  public HttpCall upload(String contentType, InputStream value) {
    return new HttpCall(
            what, method, uri, headers, secrets, NOTHING, Optional.of(value), Repeat.NEVER, limit)
        .header("Content-Type", contentType);
  }

  /** When it may be sent again. */
  public HttpCall repeat(Repeat value) {
    return new HttpCall(
        what,
        method,
        uri,
        headers,
        secrets,
        body,
        upload,
        upload.isPresent() ? Repeat.NEVER : value,
        limit);
  }

  /** Longest answer in bytes that is kept; 16 MiB unless set. */
  public HttpCall limit(long bytes) {
    return new HttpCall(what, method, uri, headers, secrets, body, upload, repeat, bytes);
  }

  String what() {
    return what;
  }

  URI uri() {
    return uri;
  }

  Map<String, String> headers() {
    return headers;
  }

  Map<String, Secret> secrets() {
    return secrets;
  }

  Optional<InputStream> upload() {
    return upload;
  }

  Repeat repeat() {
    return repeat;
  }

  long limit() {
    return limit;
  }

  /** A header's whole value. */
  String value(String name) {
    String plain = headers.getOrDefault(name, "");
    Secret secret = secrets.get(name);
    return secret == null ? plain : plain + secret.reveal();
  }

  HttpRequest.Builder request() {
    HttpRequest.BodyPublisher publisher =
        upload.isPresent()
            ? new UploadBody(upload.get())
            : body.length > 0
                ? HttpRequest.BodyPublishers.ofByteArray(body)
                : HttpRequest.BodyPublishers.noBody();
    HttpRequest.Builder builder = HttpRequest.newBuilder(uri).method(method, publisher);
    headers.keySet().forEach(name -> builder.header(name, value(name)));
    return builder;
  }

  /** The text without secrets. */
  String hide(String text) {
    String hidden = text;
    for (Secret secret : secrets.values()) {
      hidden = secret.hideIn(hidden);
    }
    String query = uri.getRawQuery();
    return query == null ? hidden : hidden.replace(query, "***");
  }

  /** Method, host and path. */
  @Override
  public String toString() {
    return method + " " + uri.getScheme() + "://" + uri.getAuthority() + uri.getRawPath();
  }

  /** Text as a part of a path or query. */
  public static String encode(String text) {
    StringBuilder encoded = new StringBuilder();
    for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
      boolean plain =
          (each >= 'a' && each <= 'z')
              || (each >= 'A' && each <= 'Z')
              || (each >= '0' && each <= '9')
              || "-._~".indexOf(each) >= 0;
      encoded.append(plain ? String.valueOf((char) each) : String.format("%%%02X", each & 0xff));
    }
    return encoded.toString();
  }
}
