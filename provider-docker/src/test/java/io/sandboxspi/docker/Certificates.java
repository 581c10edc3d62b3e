package io.sandboxspi.docker;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** A certificate authority of one test, and who it signs for. */
final class Certificates {
  private static final char[] PASSWORD = "test".toCharArray();

  private final KeyPair keys;
  private final X509Certificate root;

  Certificates(String name) throws Exception {
    keys = pair();
    root = sign(new X500Name("CN=" + name), keys, keys, true, "", new X500Name("CN=" + name));
  }

  private static KeyPair pair() throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
    generator.initialize(2048);
    return generator.generateKeyPair();
  }

  private static X509Certificate sign(
      X500Name subject,
      KeyPair subjectKeys,
      KeyPair by,
      boolean authority,
      String host,
      X500Name issuer)
      throws GeneralSecurityException, IOException, OperatorException {
    Instant now = Instant.now();
    JcaX509v3CertificateBuilder builder =
        new JcaX509v3CertificateBuilder(
            issuer,
            new BigInteger(64, new java.security.SecureRandom()),
            Date.from(now.minus(Duration.ofDays(1))),
            Date.from(now.plus(Duration.ofDays(1))),
            subject,
            subjectKeys.getPublic());
    builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(authority));
    if (!host.isEmpty()) {
      builder.addExtension(
          Extension.subjectAlternativeName,
          false,
          new GeneralNames(
              new GeneralName(
                  host.matches("[0-9.]+") ? GeneralName.iPAddress : GeneralName.dNSName, host)));
    }
    return new JcaX509CertificateConverter()
        .getCertificate(
            builder.build(new JcaContentSignerBuilder("SHA256withRSA").build(by.getPrivate())));
  }

  /** What a server of this name uses; it trusts who is signed by this authority. */
  SSLContext server(String host) throws Exception {
    KeyPair mine = pair();
    X509Certificate certificate =
        sign(new X500Name("CN=engine"), mine, keys, false, host, name(root));
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    store.setKeyEntry(
        "engine", mine.getPrivate(), PASSWORD, new X509Certificate[] {certificate, root});
    KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    own.init(store, PASSWORD);
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("root", root);
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(own.getKeyManagers(), trust.getTrustManagers(), null);
    return context;
  }

  private static X500Name name(X509Certificate certificate) {
    return new X500Name(certificate.getSubjectX500Principal().getName());
  }

  /** The files that DOCKER_CERT_PATH names. */
  void writeClient(Path directory) throws Exception {
    KeyPair client = pair();
    X509Certificate certificate =
        sign(new X500Name("CN=client"), client, keys, false, "", name(root));
    pem(directory.resolve("ca.pem"), "CERTIFICATE", root.getEncoded());
    pem(directory.resolve("cert.pem"), "CERTIFICATE", certificate.getEncoded());
    pem(directory.resolve("key.pem"), "PRIVATE KEY", client.getPrivate().getEncoded());
  }

  private static void pem(Path file, String kind, byte[] content) throws IOException {
    String text =
        "-----BEGIN "
            + kind
            + "-----\n"
            + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content)
            + "\n-----END "
            + kind
            + "-----\n";
    Files.writeString(file, text);
  }
}
