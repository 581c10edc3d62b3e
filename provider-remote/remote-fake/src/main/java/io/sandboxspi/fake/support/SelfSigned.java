package io.sandboxspi.fake.support;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/**
 * A key of {@code localhost} whose certificate nobody has signed.
 *
 * @param keys a store of the type PKCS12
 */
public record SelfSigned(Path keys) {
  /** Of the store. */
  public static final String PASSWORD = "changeit";

  private static final int PATIENCE = 60;

  /** Makes one in a directory. */
  public static SelfSigned in(Path directory) throws IOException, InterruptedException {
    SelfSigned made = new SelfSigned(directory.resolve("keys.p12"));
    made.keytool(
        "-genkeypair", "-keyalg", "EC", "-dname", "CN=localhost", "-ext", "SAN=dns:localhost");
    return made;
  }

  /** Writes its certificate to a file, as text. */
  public Path certificate() throws IOException, InterruptedException {
    Path file = keys.resolveSibling("ca.pem");
    keytool("-exportcert", "-rfc", "-file", file.toString());
    return file;
  }

  /** For a server that shows it. */
  public SSLContext context() throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(keys)) {
      store.load(in, PASSWORD.toCharArray());
    }
    KeyManagerFactory managers =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(store, PASSWORD.toCharArray());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(managers.getKeyManagers(), null, null);
    return context;
  }

  private void keytool(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of(arguments));
    command.addAll(List.of("-alias", "a", "-keystore", keys.toString(), "-storepass", PASSWORD));
    Path said = keys.resolveSibling("keytool.out");
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(said.toFile()).start();
    if (!process.waitFor(PATIENCE, TimeUnit.SECONDS) || process.exitValue() != 0) {
      process.destroyForcibly();
      throw new IOException("keytool failed: " + Files.readString(said));
    }
  }
}
