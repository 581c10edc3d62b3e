package io.sandboxspi.fake.support;

import io.sandboxspi.fake.FakeThreads;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;

/** Somebody in a vendor's place whose certificate nobody has signed. */
public final class UntrustedPeer implements AutoCloseable {
  private static final char[] PASSWORD = "changeit".toCharArray();
  private static final int PATIENCE = 60;

  private final SSLServerSocket listener;

  /**
   * Starts it.
   *
   * @param directory for its key
   */
  public UntrustedPeer(Path directory)
      throws IOException, GeneralSecurityException, InterruptedException {
    Path keys = directory.resolve("keys.p12");
    makeKey(keys);
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(keys)) {
      store.load(in, PASSWORD);
    }
    KeyManagerFactory managers =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(store, PASSWORD);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(managers.getKeyManagers(), null, null);
    listener =
        (SSLServerSocket)
            context
                .getServerSocketFactory()
                .createServerSocket(0, 20, InetAddress.getLoopbackAddress());
    FakeThreads.start("untrusted", this::accept);
  }

  private static void makeKey(Path keys) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                    "-genkeypair",
                    "-alias",
                    "a",
                    "-keyalg",
                    "EC",
                    "-dname",
                    "CN=localhost",
                    "-ext",
                    "SAN=dns:localhost",
                    "-keystore",
                    keys.toString(),
                    "-storepass",
                    new String(PASSWORD)))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    if (!process.waitFor(PATIENCE, TimeUnit.SECONDS) || process.exitValue() != 0) {
      process.destroyForcibly();
      throw new IOException("no key was made");
    }
  }

  private void accept() {
    while (!listener.isClosed()) {
      try (SSLSocket client = (SSLSocket) listener.accept()) {
        client.setSoTimeout(PATIENCE * 1000);
        int unused = client.getInputStream().read();
      } catch (IOException refused) {
        assert refused.getMessage() != null || listener.isClosed();
      }
    }
  }

  /** Where it is, with {@code https}. */
  public String address() {
    return "https://localhost:" + listener.getLocalPort();
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
