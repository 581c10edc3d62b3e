package io.sandboxspi.remote.modal;

import io.grpc.ChannelCredentials;
import io.grpc.HttpConnectProxiedSocketAddress;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.TlsChannelCredentials;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.sandboxspi.core.time.Lane;
import io.sandboxspi.remote.transport.ClientOptions;
import io.sandboxspi.remote.transport.TrustedCertificates;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Connections. Those to the control plane are shared; one that is idle is closed. */
final class Channels {
  private static final int MESSAGE_LIMIT = 100 << 20;
  private static final long IDLE_SECONDS = 5;
  private static final Object LOCK = new Object();
  private static final Map<Key, ManagedChannel> SHARED = new HashMap<>();

  private record Key(Server server, ClientOptions options) {}

  /** Threads for what comes; the listeners of sessions are called on them. */
  private static final class Threads {
    static final Lane LANE = Lane.light("sandbox-modal");
  }

  private Channels() {}

  /** The channel of all with equal options; it lives as long as the JVM. */
  static ManagedChannel shared(Server server, ClientOptions options) {
    synchronized (LOCK) {
      return SHARED.computeIfAbsent(new Key(server, options), key -> open(server, options));
    }
  }

  /** A channel of the caller's own. Makes no connection yet. */
  static ManagedChannel open(Server server, ClientOptions options) {
    NettyChannelBuilder builder =
        NettyChannelBuilder.forAddress(
                server.host(), server.port(), credentials(server.plaintext(), options))
            .executor(Threads.LANE::execute)
            .userAgent(options.userAgent())
            .keepAliveTime(30, TimeUnit.SECONDS)
            .keepAliveTimeout(10, TimeUnit.SECONDS)
            .keepAliveWithoutCalls(true)
            .idleTimeout(IDLE_SECONDS, TimeUnit.SECONDS)
            .maxInboundMessageSize(MESSAGE_LIMIT)
            .disableServiceConfigLookUp()
            // What may be repeated is known better here.
            .disableRetry();
    options
        .proxy()
        .ifPresent(
            proxy -> {
              InetSocketAddress address = new InetSocketAddress(proxy.getHost(), proxy.getPort());
              var unused =
                  builder.proxyDetector(
                      target ->
                          HttpConnectProxiedSocketAddress.newBuilder()
                              .setProxyAddress(address)
                              .setTargetAddress((InetSocketAddress) target)
                              .build());
            });
    return builder.build();
  }

  private static ChannelCredentials credentials(boolean plaintext, ClientOptions options) {
    if (plaintext) {
      return InsecureChannelCredentials.create();
    }
    return options
        .caFile()
        .map(
            file ->
                TlsChannelCredentials.newBuilder()
                    .trustManager(TrustedCertificates.managers(file))
                    .build())
        .orElseGet(TlsChannelCredentials::create);
  }
}
