package io.sandboxspi.remote.transport;

import io.sandboxspi.SandboxException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.Collection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

/** The JVM's certificates and those of a file. */
public final class TrustedCertificates {
  private TrustedCertificates() {}

  static SSLContext with(Path file) {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, managers(file), null);
      return context;
    } catch (GeneralSecurityException e) {
      SandboxException failure = unusable(file);
      failure.addSuppressed(e);
      throw failure;
    }
  }

  /**
   * For other TLS than the JDK's client.
   *
   * @throws SandboxException {@link io.sandboxspi.ErrorCode#INVALID_ARGUMENT} when the file holds
   *     none
   */
  public static TrustManager[] managers(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      Collection<? extends Certificate> more =
          CertificateFactory.getInstance("X.509").generateCertificates(in);
      if (more.isEmpty()) {
        throw unusable(file);
      }
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      int n = 0;
      for (X509Certificate known : jvm()) {
        store.setCertificateEntry("jvm-" + n++, known);
      }
      for (Certificate each : more) {
        store.setCertificateEntry("file-" + n++, each);
      }
      TrustManagerFactory factory =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      factory.init(store);
      return factory.getTrustManagers();
    } catch (IOException | GeneralSecurityException e) {
      SandboxException failure = unusable(file);
      failure.addSuppressed(e);
      throw failure;
    }
  }

  private static Collection<X509Certificate> jvm() throws GeneralSecurityException {
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init((KeyStore) null);
    for (TrustManager manager : factory.getTrustManagers()) {
      if (manager instanceof X509TrustManager known) {
        return Arrays.asList(known.getAcceptedIssuers());
      }
    }
    return java.util.List.of();
  }

  private static SandboxException unusable(Path file) {
    return SandboxException.invalid(
        "CA file", file, "a readable file with certificates in PEM form");
  }
}
