package io.sandboxspi;

/**
 * Finds the value of a secret when a session is opened, not before (spec S-MAN-03). Called on
 * another thread than the opener's; may block, and is interrupted when the opener is.
 */
@FunctionalInterface
public interface SecretResolver {
  /**
   * The value.
   *
   * @param name of the variable that it is for
   * @throws Exception when there is none; the session is not opened then
   */
  String resolve(String name) throws Exception;
}
