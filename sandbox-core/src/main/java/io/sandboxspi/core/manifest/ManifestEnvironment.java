package io.sandboxspi.core.manifest;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Manifest;
import io.sandboxspi.Operation;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SecretResolver;
import java.util.LinkedHashMap;
import java.util.Map;

/** The variables of a manifest, found when they are needed (spec S-MAN-03). */
public final class ManifestEnvironment {
  private ManifestEnvironment() {}

  /**
   * Finds all values.
   *
   * @throws SandboxException {@link ErrorCode#CREATE_FAILED} naming the variable, never a value
   */
  public static Map<String, String> resolve(Manifest manifest) throws InterruptedException {
    Map<String, String> values = new LinkedHashMap<>();
    for (Map.Entry<String, SecretResolver> each : manifest.environment().entrySet()) {
      values.put(each.getKey(), value(each.getKey(), each.getValue()));
    }
    return values;
  }

  private static String value(String name, SecretResolver resolver) throws InterruptedException {
    String value;
    try {
      value = resolver.resolve(name);
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception e) {
      throw failed(name, "could not be found").cause(e).retryable(Retryable.UNKNOWN).build();
    }
    if (value.indexOf('\0') >= 0) {
      throw failed(name, "has a NUL character").build();
    }
    return value;
  }

  private static SandboxException.Builder failed(String name, String what) {
    return SandboxException.builder(
            ErrorCode.CREATE_FAILED,
            Operation.CREATE,
            "the value of the manifest's variable " + name + " " + what)
        .context("variable", name);
  }
}
