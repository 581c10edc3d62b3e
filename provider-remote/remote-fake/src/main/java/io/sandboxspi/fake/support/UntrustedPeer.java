package io.sandboxspi.fake.support;

import io.sandboxspi.fake.FakeThreads;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;

/** Somebody in a vendor's place whose certificate nobody has signed. */
public final class UntrustedPeer implements AutoCloseable {
  private static final int PATIENCE = 60;

  private final SSLServerSocket listener;

  /**
   * Starts it.
   *
   * @param directory for its key
   */
  public UntrustedPeer(Path directory)
      throws IOException, GeneralSecurityException, InterruptedException {
    this(directory, InetAddress.getLoopbackAddress());
  }

  /**
   * Starts it at an address of this machine.
   *
   * @param directory for its key
   */
  public UntrustedPeer(Path directory, InetAddress at)
      throws IOException, GeneralSecurityException, InterruptedException {
    listener =
        (SSLServerSocket)
            SelfSigned.in(directory)
                .context()
                .getServerSocketFactory()
                .createServerSocket(0, 20, at);
    FakeThreads.start("untrusted", this::accept);
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
    return "https://localhost:" + port();
  }

  /** Its port. */
  public int port() {
    return listener.getLocalPort();
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
