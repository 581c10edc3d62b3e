package io.sandboxspi.docker.engine;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sandboxspi.Registration;
import io.sandboxspi.core.time.EngineClock;
import io.sandboxspi.docker.engine.EngineException.Kind;
import io.sandboxspi.spi.Deadline;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * One HTTP/1.1 exchange over one connection of its own. Whoever waits in it is freed by an
 * interrupt and by the deadline, because both close the socket. One thread; closing is thread-safe.
 */
final class HttpConnection implements Closeable {
  private static final int LINE_LIMIT = 16_384;
  private static final int HEADER_LIMIT = 200;
  private static final int BULK = 256 * 1024;

  private final EngineAddress address;
  private final Wire wire;
  private final Watch watch;
  private ByteBuffer in = ByteBuffer.allocate(32_768).flip();

  /** Closes a socket at the deadline. */
  private static final class Watch {
    private final SocketChannel channel;
    private final Registration timer;
    private volatile boolean fired;

    Watch(SocketChannel channel, Deadline deadline) {
      this.channel = channel;
      this.timer = EngineClock.system().schedule(deadline.remaining(), this::fire);
    }

    private void fire() {
      fired = true;
      Sockets.close(channel);
    }
  }

  private HttpConnection(EngineAddress address, Wire wire, Watch watch) {
    this.address = address;
    this.wire = wire;
    this.watch = watch;
  }

  /** Connects. */
  static HttpConnection open(EngineAddress address, Deadline deadline) {
    SocketChannel channel;
    try {
      channel = Sockets.open(address);
    } catch (IOException e) {
      throw new EngineException(Kind.UNREACHABLE, "no socket can be opened: " + reason(e), e);
    }
    Watch watch = new Watch(channel, deadline);
    boolean done = false;
    try {
      Sockets.connect(channel, address);
      Wire wire =
          address instanceof EngineAddress.Tcp tcp && tcp.tls().isPresent()
              ? TlsWire.handshake(channel, tcp.tls().get(), tcp.host(), tcp.port())
              : new PlainWire(channel);
      done = true;
      return new HttpConnection(address, wire, watch);
    } catch (IOException e) {
      throw failure(address, watch, Kind.UNREACHABLE, e);
    } finally {
      if (!done) {
        watch.timer.close();
        Sockets.close(channel);
      }
    }
  }

  /** Sends a request with all of its body. */
  void send(String method, String path, Map<String, String> headers, byte[] body) {
    StringBuilder head = head(method, path, headers);
    head.append("Content-Length: ").append(body.length).append("\r\n\r\n");
    byte[] bytes = head.toString().getBytes(ISO_8859_1);
    ByteBuffer all = ByteBuffer.allocate(bytes.length + body.length).put(bytes).put(body).flip();
    write(all);
  }

  /** Sends a request with a body that is read to its end. */
  void send(String method, String path, Map<String, String> headers, InputStream body)
      throws IOException {
    StringBuilder head = head(method, path, headers);
    head.append("Transfer-Encoding: chunked\r\n\r\n");
    write(ByteBuffer.wrap(head.toString().getBytes(ISO_8859_1)));
    byte[] buffer = new byte[65_536];
    for (int n = body.read(buffer); n >= 0; n = body.read(buffer)) {
      if (n > 0) {
        write(ByteBuffer.wrap((Integer.toHexString(n) + "\r\n").getBytes(ISO_8859_1)));
        write(ByteBuffer.wrap(buffer, 0, n));
        write(ByteBuffer.wrap(new byte[] {'\r', '\n'}));
      }
    }
    write(ByteBuffer.wrap("0\r\n\r\n".getBytes(ISO_8859_1)));
  }

  /**
   * Sends a request with a body of known length.
   *
   * @throws IOException when the body cannot be read or ends early; the request is not whole then
   */
  void send(String method, String path, Map<String, String> headers, InputStream body, long length)
      throws IOException {
    StringBuilder head = head(method, path, headers);
    head.append("Content-Length: ").append(length).append("\r\n\r\n");
    write(ByteBuffer.wrap(head.toString().getBytes(ISO_8859_1)));
    byte[] buffer = new byte[BULK];
    for (long left = length; left > 0; ) {
      int n = body.read(buffer, 0, (int) Math.min(buffer.length, left));
      if (n < 0) {
        throw new EOFException("it ended " + left + " bytes early");
      }
      write(ByteBuffer.wrap(buffer, 0, n));
      left -= n;
    }
  }

  /** Much is to come: it is read in larger pieces, and copied once less, from now on. */
  void expectMuch() {
    in = ByteBuffer.allocateDirect(BULK).put(in).flip();
  }

  /** No more of the request comes; the answer can still be read. */
  void endRequest() throws IOException {
    wire.shutdownOutput();
  }

  private StringBuilder head(String method, String path, Map<String, String> headers) {
    StringBuilder head = new StringBuilder(256);
    head.append(method).append(' ').append(path).append(" HTTP/1.1\r\nHost: ").append(host());
    head.append("\r\n");
    headers.forEach((name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
    if (!headers.containsKey("Connection")) {
      head.append("Connection: close\r\n");
    }
    return head;
  }

  private String host() {
    return address instanceof EngineAddress.Tcp tcp ? tcp.host() + ":" + tcp.port() : "docker";
  }

  private void write(ByteBuffer bytes) {
    try {
      while (bytes.hasRemaining()) {
        int unused = wire.write(bytes);
      }
    } catch (IOException e) {
      throw failure(Kind.BROKEN, e);
    }
  }

  /** Reads the answer's head. */
  Head readHead() {
    while (true) {
      String[] status = line().split(" ", 3);
      if (status.length < 2
          || !status[0].startsWith("HTTP/1.")
          || !status[1].matches("[1-5][0-9][0-9]")) {
        throw new EngineException(Kind.MALFORMED, "the answer of " + address + " is no HTTP/1.1");
      }
      Map<String, List<String>> headers = headers();
      int code = Integer.parseInt(status[1]);
      if (code != 100) {
        return new Head(code, headers);
      }
    }
  }

  private Map<String, List<String>> headers() {
    Map<String, List<String>> headers = new HashMap<>();
    for (int i = 0; i < HEADER_LIMIT; i++) {
      String line = line();
      if (line.isEmpty()) {
        return headers;
      }
      int colon = line.indexOf(':');
      if (colon > 0) {
        String name = line.substring(0, colon).toLowerCase(Locale.ROOT);
        headers
            .computeIfAbsent(name, n -> new ArrayList<>())
            .add(line.substring(colon + 1).strip());
      }
    }
    throw new EngineException(Kind.MALFORMED, "the answer of " + address + " has no end of head");
  }

  /** A line without its end. */
  String line() {
    StringBuilder line = new StringBuilder(80);
    while (line.length() < LINE_LIMIT) {
      int next = next();
      if (next == '\n') {
        int length = line.length();
        if (length > 0 && line.charAt(length - 1) == '\r') {
          line.setLength(length - 1);
        }
        return line.toString();
      }
      if (next < 0) {
        throw new EngineException(Kind.BROKEN, "the connection to " + address + " ended early");
      }
      line.append((char) next);
    }
    throw new EngineException(Kind.MALFORMED, "the answer of " + address + " has an endless line");
  }

  private int next() {
    return fill() ? in.get() & 0xff : -1;
  }

  /** Whether there are bytes, after waiting for some. */
  private boolean fill() {
    if (in.hasRemaining()) {
      return true;
    }
    in.clear();
    try {
      return receive(in) > 0;
    } finally {
      in.flip();
    }
  }

  private int receive(ByteBuffer into) {
    try {
      return wire.read(into);
    } catch (IOException e) {
      throw failure(Kind.BROKEN, e);
    }
  }

  /** Reads some bytes of a body; -1 at the end of the connection. */
  int read(byte[] into, int offset, int length) {
    if (!in.hasRemaining() && length >= in.capacity()) {
      return receive(ByteBuffer.wrap(into, offset, length));
    }
    if (!fill()) {
      return -1;
    }
    int n = Math.min(length, in.remaining());
    in.get(into, offset, n);
    return n;
  }

  /** The answer's body. */
  InputStream body(Head head) {
    if (head.bodiless()) {
      return InputStream.nullInputStream();
    }
    if (head.chunked()) {
      return HttpBody.chunked(this);
    }
    Optional<String> length = head.header("content-length");
    try {
      return length.isPresent()
          ? HttpBody.ofLength(this, Long.parseLong(length.get()))
          : HttpBody.toEnd(this);
    } catch (NumberFormatException e) {
      throw new EngineException(Kind.MALFORMED, "the answer has a bad length", e);
    }
  }

  /** Gives the connection away, with what was read of it already; the deadline holds no more. */
  Hijacked hijack() throws IOException {
    watch.timer.close();
    if (watch.fired) {
      throw new EngineException(Kind.TIMEOUT, "the deadline passed");
    }
    wire.channel().configureBlocking(false);
    return new Hijacked(wire, in.slice());
  }

  EngineException failure(Kind kind, IOException cause) {
    return failure(address, watch, kind, cause);
  }

  private static EngineException failure(
      EngineAddress address, Watch watch, Kind kind, IOException cause) {
    if (cause instanceof ClosedByInterruptException) {
      return new EngineException(Kind.INTERRUPTED, "interrupted", cause);
    }
    if (watch.fired) {
      return new EngineException(
          Kind.TIMEOUT, "the engine at " + address + " did not answer in time", cause);
    }
    String why = reason(cause);
    if (kind == Kind.UNREACHABLE && why.equals("Permission denied")) {
      return new EngineException(
          kind, "there is no permission on " + address + ": join its group, usually docker", cause);
    }
    String what = kind == Kind.UNREACHABLE ? "there is no engine at " : "lost the engine at ";
    return new EngineException(kind, what + address + ": " + why, cause);
  }

  private static String reason(IOException cause) {
    return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
  }

  @Override
  public void close() {
    watch.timer.close();
    wire.close();
  }
}
