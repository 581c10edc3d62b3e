package io.sandboxspi.spi;

import io.sandboxspi.SandboxException;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * Names a launch before it is made, so that it can be ended even if its answer never arrives (spec
 * S-SPI-03). Never used twice.
 *
 * @param value lower-case letters, digits and dashes, 1 to 64 characters
 */
public record LaunchId(String value) {
  private static final Pattern FORM = Pattern.compile("[a-z0-9-]{1,64}");

  /** Checks the form: it is safe in file names, environments and shell text. */
  public LaunchId {
    if (!FORM.matcher(value).matches()) {
      throw SandboxException.invalid("launch id", '"' + value + '"', FORM.pattern());
    }
  }

  /** A new random id. */
  public static LaunchId random() {
    return new LaunchId(UUID.randomUUID().toString());
  }

  @Override
  public String toString() {
    return value;
  }
}
