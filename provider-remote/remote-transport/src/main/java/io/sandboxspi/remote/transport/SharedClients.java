package io.sandboxspi.remote.transport;

import io.sandboxspi.core.time.Lane;
import java.lang.ref.WeakReference;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.http.HttpClient;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One client of the JDK for equal options, as long as somebody uses it: it has a thread and keeps
 * connections. HTTP/1.1 only, so that a stream that is not read holds up nobody else.
 */
final class SharedClients {
  private static final Object LOCK = new Object();
  private static final Map<Kept, WeakReference<HttpClient>> OPEN = new HashMap<>();

  private record Kept(ClientOptions options, boolean prompt) {}

  private SharedClients() {}

  /** One that works on threads of its own beside the one that watches the connections. */
  static HttpClient of(ClientOptions options) {
    return of(new Kept(options, false));
  }

  /**
   * One that does all on the thread that watches the connections: for bodies that are read without
   * waiting, and no encryption. Two changes of threads less for a call.
   */
  static HttpClient prompt(ClientOptions options) {
    return of(new Kept(options, true));
  }

  private static HttpClient of(Kept options) {
    HttpClient known = known(options);
    if (known != null) {
      return known;
    }
    HttpClient fresh = make(options.options(), options.prompt());
    synchronized (LOCK) {
      HttpClient first = known(options);
      if (first != null) {
        return first;
      }
      OPEN.values().removeIf(client -> client.get() == null);
      OPEN.put(options, new WeakReference<>(fresh));
      return fresh;
    }
  }

  private static @Nullable HttpClient known(Kept options) {
    synchronized (LOCK) {
      WeakReference<HttpClient> reference = OPEN.get(options);
      return reference == null ? null : reference.get();
    }
  }

  private static HttpClient make(ClientOptions options, boolean prompt) {
    Lane lane = Lane.light("sandbox-remote");
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(options.connectTimeout())
            .executor(prompt ? Runnable::run : lane::execute);
    options
        .proxy()
        .ifPresent(
            proxy ->
                builder.proxy(
                    ProxySelector.of(
                        InetSocketAddress.createUnresolved(proxy.getHost(), proxy.getPort()))));
    options.caFile().ifPresent(file -> builder.sslContext(TrustedCertificates.with(file)));
    return builder.build();
  }
}
