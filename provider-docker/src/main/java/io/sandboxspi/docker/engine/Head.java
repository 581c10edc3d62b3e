package io.sandboxspi.docker.engine;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The head of an HTTP answer.
 *
 * @param status HTTP status
 * @param headers by lower-case name
 */
record Head(int status, Map<String, List<String>> headers) {
  Head {
    headers = Map.copyOf(headers);
  }

  Optional<String> header(String name) {
    List<String> values = headers.get(name.toLowerCase(Locale.ROOT));
    return values == null ? Optional.empty() : Optional.of(values.get(0));
  }

  boolean chunked() {
    return header("transfer-encoding").filter(v -> v.equalsIgnoreCase("chunked")).isPresent();
  }

  boolean bodiless() {
    return status == 204 || status == 304 || status < 200;
  }
}
