package io.sandboxspi.docker;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

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
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
  private volatile ServerSocketChannel server;
  private final Path directory;
  private final List<Fault> faults = new CopyOnWriteArrayList<>();
  private final Set<SocketChannel> open = ConcurrentHashMap.newKeySet();
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private final Object ice = new Object();
  // Guarded by the ice.
  private final Map<SocketChannel, String> lines = new LinkedHashMap<>();
  private final Set<SocketChannel> iced = new HashSet<>();
  private boolean frozen;
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
    DELAY,
    /** The engine does not see it; a given answer comes. */
    ANSWER
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
    private final String answer;

    private Fault(Pattern request, Action action, long amount, int first, String answer) {
      this.request = request;
      this.action = action;
      this.amount = amount;
      this.first = first;
      this.answer = answer;
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
    daemon("accept", () -> accept(server));
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
    return add(new Fault(Pattern.compile(request), action, amount, nth, ""));
  }

  private Fault add(Fault fault) {
    faults.add(fault);
    return fault;
  }

  /** Answers requests in the engine's stead, with JSON. */
  Fault answer(String request, int status, String json) {
    String answer =
        "HTTP/1.1 "
            + status
            + " Scripted\r\nContent-Type: application/json\r\nContent-Length: "
            + json.getBytes(UTF_8).length
            + "\r\nConnection: close\r\n\r\n"
            + json;
    return add(new Fault(Pattern.compile(request), Action.ANSWER, 0, 1, answer));
  }

  /** No byte passes in any direction, on open connections and new ones, until it is thawed. */
  void freeze() {
    synchronized (ice) {
      frozen = true;
    }
  }

  /** No byte passes any more on the open connections whose request matches. */
  void freezeOpen(String request) {
    synchronized (ice) {
      lines.forEach(
          (client, line) -> {
            if (Pattern.compile(request).matcher(line).find()) {
              iced.add(client);
            }
          });
    }
  }

  /** No byte passes any more on the first connection whose request matches. */
  void freezeFirst(String request) {
    synchronized (ice) {
      lines.entrySet().stream()
          .filter(entry -> Pattern.compile(request).matcher(entry.getValue()).find())
          .findFirst()
          .ifPresent(entry -> iced.add(entry.getKey()));
    }
  }

  /** Goes on. */
  void thaw() {
    synchronized (ice) {
      frozen = false;
      iced.clear();
      ice.notifyAll();
    }
  }

  private void awaitThaw(SocketChannel client) throws IOException {
    synchronized (ice) {
      while (frozen || iced.contains(client)) {
        try {
          ice.wait();
        } catch (InterruptedException e) {
          throw new IOException(e);
        }
      }
    }
  }

  /** First lines of the requests whose connections are open. */
  List<String> open() {
    synchronized (ice) {
      return List.copyOf(lines.values());
    }
  }

  /** First lines of all requests so far. */
  List<String> requests() {
    return List.copyOf(requests);
  }

  /** Closes all connections; new ones are taken. */
  void cutAll() {
    open.forEach(FaultProxy::close);
  }

  /** The engine is not there any more: connections break, and nobody listens. */
  void vanish() throws IOException {
    server.close();
    Files.delete(directory.resolve("s"));
    cutAll();
  }

  /** The engine is there again, in the same place; on a unix socket only. */
  void comeBack() throws IOException {
    ServerSocketChannel again = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    again.bind(UnixDomainSocketAddress.of(directory.resolve("s")));
    server = again;
    daemon("accept", () -> accept(again));
  }

  int connections() {
    return open.size();
  }

  private void accept(ServerSocketChannel from) {
    while (!closed) {
      try {
        SocketChannel client = from.accept();
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
      synchronized (ice) {
        lines.put(client, line);
      }
      awaitThaw(client);
      Fault fault = faults.stream().filter(f -> f.matches(line)).findFirst().orElse(null);
      if (fault != null && fault.action == Action.ANSWER) {
        write(client, ByteBuffer.wrap(fault.answer.getBytes(UTF_8)));
        client.shutdownOutput();
        drain(client);
        return;
      }
      if (fault != null && fault.action == Action.STALL_REQUEST) {
        fault.over.await();
      }
      if (fault != null && fault.action == Action.DELAY) {
        boolean unused = fault.over.await(fault.amount, TimeUnit.MILLISECONDS);
      }
      try (SocketChannel upstream = connect()) {
        open.add(upstream);
        write(upstream, ByteBuffer.wrap(head));
        Thread up = daemon("up", () -> copyUp(client, upstream));
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
      synchronized (ice) {
        lines.remove(client);
      }
    }
  }

  /** What is still sent of the request must not break its connection before the answer is read. */
  private static void drain(SocketChannel client) throws IOException {
    ByteBuffer unread = ByteBuffer.allocate(65_536);
    while (client.read(unread) >= 0) {
      unread.clear();
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
      awaitThaw(to);
      write(to, buffer.flip());
    }
  }

  private void copyUp(SocketChannel from, SocketChannel to) {
    ByteBuffer buffer = ByteBuffer.allocate(65_536);
    try {
      while (from.read(buffer.clear()) >= 0) {
        awaitThaw(from);
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
    thaw();
    cutAll();
    Files.deleteIfExists(directory.resolve("s"));
    Files.deleteIfExists(directory);
  }
}
