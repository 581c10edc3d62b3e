package io.sandboxspi.fake.modal;

import io.grpc.Server;
import io.grpc.ServerInterceptors;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.sandboxspi.fake.FakeThreads;
import io.sandboxspi.fake.FakeVendor;
import io.sandboxspi.fake.Faults;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;

/** One fake of Modal: control plane and routers at one address, without encryption. */
public final class ModalFake implements FakeVendor.Service {
  /** Of the one token that it knows. */
  public static final String TOKEN_ID = "ak-0123456789abcdefghijkl";

  /** Of the one token that it knows. */
  public static final String TOKEN_SECRET = "as-ABCDEFGHIJKL0123456789";

  private static final int MESSAGE_LIMIT = 128 << 20;

  /** Tells of each stream that a client cancels or cuts, which they do here all the time. */
  private static final Logger NOISE =
      Logger.getLogger("io.grpc.netty.shaded.io.grpc.netty.NettyServerHandler");

  static {
    NOISE.setLevel(Level.OFF);
  }

  private final ScheduledExecutorService timer = FakeThreads.timer("modal");
  private final ExecutorService calls = FakeThreads.pool("modal-call");
  private final Faults faults = new Faults();
  private final Sandboxes sandboxes;
  private final Tokens tokens = new Tokens();
  private final Server server;
  private final Optional<Relay> relay;
  private volatile String reachedAt = "";

  /** Starts it. */
  public ModalFake() {
    this(false);
  }

  private ModalFake(boolean relayed) {
    sandboxes = new Sandboxes(timer, tokens);
    Optional<Relay> front = relayed ? Optional.of(new Relay()) : Optional.empty();
    Gate gate = new Gate(tokens, faults, front);
    server =
        NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
            .executor(calls)
            .maxInboundMessageSize(MESSAGE_LIMIT)
            .permitKeepAliveWithoutCalls(true)
            .permitKeepAliveTime(5, TimeUnit.SECONDS)
            .addService(
                ServerInterceptors.intercept(
                    new ControlPlane(sandboxes, tokens, this::address).service(), gate))
            .addService(
                ServerInterceptors.intercept(new TaskRouter(sandboxes, tokens).service(), gate))
            .build();
    try {
      Server unused = server.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    front.ifPresent(each -> each.start(server.getPort()));
    relay = front;
  }

  /** Starts one whose connections can be cut and held. */
  public static ModalFake relayed() {
    return new ModalFake(true);
  }

  private String address() {
    String set = reachedAt;
    return set.isEmpty() ? "127.0.0.1:" + relay.map(Relay::port).orElseGet(server::getPort) : set;
  }

  /** From now on its routers are said to be at this host and port. */
  public void reachedAt(String address) {
    reachedAt = address;
  }

  /** What goes wrong, by the names of calls. */
  public Faults faults() {
    return faults;
  }

  /** Its connections; only of a fake that was made so. */
  public Relay relay() {
    return relay.orElseThrow(() -> new IllegalStateException("it is not relayed"));
  }

  /** Tokens that it gave out. */
  public Tokens tokens() {
    return tokens;
  }

  /** A sandbox, also one that has ended. */
  public Optional<FakeSandbox> sandbox(String id) {
    return sandboxes.find(id);
  }

  /** How many run. */
  @Override
  public int sandboxes() {
    return sandboxes.running().size();
  }

  /** Of a fake that is relayed; 0 otherwise. */
  @Override
  public int connections() {
    return relay.map(Relay::connections).orElse(0);
  }

  /** How many images were made from sandboxes and not deleted. */
  public int snapshots() {
    return sandboxes.images().snapshots();
  }

  /** From now on no more may run at once. */
  public void limit(int most) {
    sandboxes.limit(most);
  }

  /** From now on a sandbox is made in so many milliseconds, eight at a time and no more. */
  public void creationMillis(long time) {
    sandboxes.creationMillis(time);
  }

  /** So many questions for tunnels come too early. */
  public void lateTunnels(int answers) {
    sandboxes.lateTunnels(answers);
  }

  /** From now on pages of lists have so many. */
  public void page(int size) {
    sandboxes.page(size);
  }

  @Override
  public Map<String, String> settings() {
    return Map.of(
        "MODAL_TOKEN_ID",
        TOKEN_ID,
        "MODAL_TOKEN_SECRET",
        TOKEN_SECRET,
        "MODAL_SERVER_URL",
        "http://" + address(),
        "MODAL_CONFIG_PATH",
        "/nonexistent/modal.toml");
  }

  @Override
  public void close() {
    sandboxes.close();
    Server unused = server.shutdownNow();
    relay.ifPresent(Relay::close);
    timer.shutdownNow();
    calls.shutdown();
  }
}
