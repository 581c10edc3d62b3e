package io.sandboxspi.docker;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;

/**
 * A relay in front of a real engine that stalls, delays, cuts or truncates chosen requests. One
 * request for each connection, as the provider makes them. Listens on a unix socket or on TCP.
 */
final class FaultProxy implements AutoCloseable {
  private final SocketAddress engine;
  private final ServerSocketChannel server;
  private final Path directory;
  private final List<Fault> faults = new CopyOnWriteArrayList<>();
  private final Set<SocketChannel> open = ConcurrentHashMap.newKeySet();
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private volatile boolean closed;

  /** What happens to a request. */
  enum Action {
    /** It never reaches the engine, and no answer comes. */
    STALL_REQUEST,
    /** The engine does it, but no answer comes. */
    STALL_ANSWER,
    /** Some bytes of the answer come, then nothing more, and the connection stays. */
    STALL_AFTER,
    /** The connection is closed after some bytes of the answer. */
    CUT_AFTER,
    /** It is passed on late. */
    DELAY
  }

  /** A rule; counts what it meets. */
  final class Fault {
    private final Pattern request;
    private final Action action;
    private final long amount;
    private final int first;
    private final AtomicInteger seen = new AtomicInteger();
    private final CountDownLatch met = new CountDownLatch(1);
    private final CountDownLatch over = new CountDownLatch(1);

    private Fault(Pattern request, Action action, long amount, int first) {
      this.request = request;
      this.action = action;
      this.amount = amount;
      this.first = first;
    }

    private boolean matches(String line) {
      boolean mine = request.matcher(line).find() && seen.incrementAndGet() >= first;
      boolean on = mine && over.getCount() > 0;
      if (on) {
        met.countDown();
      }
      return on;
    }

    /** Waits until a request has met it. */
    boolean awaitMet() throws InterruptedException {
      return met.await(20, TimeUnit.SECONDS);
    }

    boolean met() {
      return met.getCount() == 0;
    }

    /** Requests pass from now on; those that are stalled go on. */
    void end() {
      over.countDown();
    }
  }

  private FaultProxy(SocketAddress engine, ServerSocketChannel server, Path directory) {
    this.engine = engine;
    this.server = server;
    this.directory = directory;
    daemon("accept", this::accept);
  }

  /** In front of the engine's unix socket, on a unix socket. */
  static FaultProxy unix(Path engine) throws IOException {
    Path directory = Files.createTempDirectory("sandbox-proxy");
    ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    server.bind(UnixDomainSocketAddress.of(directory.resolve("s")));
    return new FaultProxy(UnixDomainSocketAddress.of(engine), server, directory);
  }

  /** In front of the engine's unix socket, on TCP. */
  static FaultProxy tcp(Path engine) throws IOException {
    Path directory = Files.createTempDirectory("sandbox-proxy");
    ServerSocketChannel server = ServerSocketChannel.open();
    server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    return new FaultProxy(UnixDomainSocketAddress.of(engine), server, directory);
  }

  /** As {@code DOCKER_HOST} names it. */
  String address() throws IOException {
    SocketAddress mine = server.getLocalAddress();
    return mine instanceof InetSocketAddress tcp
        ? "tcp://127.0.0.1:" + tcp.getPort()
        : "unix://" + directory.resolve("s");
  }

  /** Acts on requests whose first line matches, as {@code POST .*&#47;exec/}. */
  Fault on(String request, Action action, long amount) {
    return on(request, action, amount, 1);
  }

  /** The same from the nth such request on. */
  Fault on(String request, Action action, long amount, int nth) {
    Fault fault = new Fault(Pattern.compile(request), action, amount, nth);
    faults.add(fault);
    return fault;
  }

  /** First lines of all requests so far. */
  List<String> requests() {
    return List.copyOf(requests);
  }

  /** Closes all connections; new ones are taken. */
  void cutAll() {
    open.forEach(FaultProxy::close);
  }

  int connections() {
    return open.size();
  }

  private void accept() {
    while (!closed) {
      try {
        SocketChannel client = server.accept();
        open.add(client);
        daemon("client", () -> serve(client));
      } catch (IOException e) {
        return;
      }
    }
  }

  private void serve(SocketChannel client) {
    try {
      byte[] head = head(client);
      String line = new String(head, ISO_8859_1).split("\r\n", 2)[0];
      requests.add(line);
      Fault fault = faults.stream().filter(f -> f.matches(line)).findFirst().orElse(null);
      if (fault != null && fault.action == Action.STALL_REQUEST) {
        fault.over.await();
      }
      if (fault != null && fault.action == Action.DELAY) {
        boolean unused = fault.over.await(fault.amount, TimeUnit.MILLISECONDS);
      }
      try (SocketChannel upstream = connect()) {
        open.add(upstream);
        write(upstream, ByteBuffer.wrap(head));
        Thread up = daemon("up", () -> copy(client, upstream));
        answer(upstream, client, fault);
        up.interrupt();
        open.remove(upstream);
      }
    } catch (IOException | InterruptedException gone) {
      // The client sees it.
      close(client);
    } finally {
      close(client);
      open.remove(client);
    }
  }

  private SocketChannel connect() throws IOException {
    return SocketChannel.open(engine);
  }

  private static byte[] head(SocketChannel client) throws IOException {
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    var in = Channels.newInputStream(client);
    int state = 0;
    while (state < 4) {
      int next = in.read();
      if (next < 0) {
        throw new IOException("no request");
      }
      head.write(next);
      state = next == (state % 2 == 0 ? '\r' : '\n') ? state + 1 : next == '\r' ? 1 : 0;
    }
    return head.toByteArray();
  }

  private void answer(SocketChannel from, SocketChannel to, Fault fault)
      throws IOException, InterruptedException {
    long left = Long.MAX_VALUE;
    if (fault != null && fault.action != Action.DELAY && fault.action != Action.STALL_REQUEST) {
      left = fault.action == Action.STALL_ANSWER ? 0 : fault.amount;
    }
    ByteBuffer buffer = ByteBuffer.allocate(65_536);
    while (true) {
      if (left == 0 && fault != null) {
        if (fault.action == Action.CUT_AFTER) {
          return;
        }
        fault.over.await();
        left = Long.MAX_VALUE;
      }
      buffer.clear().limit((int) Math.min(buffer.capacity(), left));
      int n = from.read(buffer);
      if (n < 0) {
        return;
      }
      left -= left == Long.MAX_VALUE ? 0 : n;
      write(to, buffer.flip());
    }
  }

  private static void copy(SocketChannel from, SocketChannel to) {
    ByteBuffer buffer = ByteBuffer.allocate(65_536);
    try {
      while (from.read(buffer.clear()) >= 0) {
        write(to, buffer.flip());
      }
      to.shutdownOutput();
    } catch (IOException gone) {
      // A client that leaves, or a channel closed by the other direction.
      close(to);
    }
  }

  private static void write(SocketChannel to, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      to.write(bytes);
    }
  }

  private static Thread daemon(String role, Runnable task) {
    Thread thread = new Thread(task, "fault-proxy-" + role);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private static void close(SocketChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() throws IOException {
    closed = true;
    server.close();
    faults.forEach(Fault::end);
    cutAll();
    Files.deleteIfExists(directory.resolve("s"));
    Files.deleteIfExists(directory);
  }
}
