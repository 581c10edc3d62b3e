package io.sandboxspi.bench.remote;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;

/** Passes connections on; each byte comes later than it was sent. */
final class DelayLink {
  private final ServerSocket server;
  private final URI target;
  private final long delay;

  private record Piece(long due, byte[] bytes) {}

  DelayLink(URI target, Duration delay) throws IOException {
    this.target = target;
    this.delay = delay.toNanos();
    this.server = new ServerSocket(0, 512, InetAddress.getLoopbackAddress());
    start(this::accept);
  }

  URI uri() {
    return URI.create("http://127.0.0.1:" + server.getLocalPort());
  }

  private static void start(Runnable work) {
    Thread thread = new Thread(work, "link");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    try {
      while (true) {
        Socket near = server.accept();
        Socket far = new Socket(target.getHost(), target.getPort());
        near.setTcpNoDelay(true);
        far.setTcpNoDelay(true);
        pass(near, far);
        pass(far, near);
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private void pass(Socket from, Socket to) {
    BlockingQueue<Piece> queue = new LinkedBlockingQueue<>();
    start(
        () -> {
          byte[] chunk = new byte[65_536];
          try {
            InputStream in = from.getInputStream();
            for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) {
              queue.add(new Piece(System.nanoTime() + delay, Arrays.copyOf(chunk, n)));
            }
          } catch (IOException ended) {
            queue.add(new Piece(0, new byte[0]));
          }
          queue.add(new Piece(0, new byte[0]));
        });
    start(
        () -> {
          try {
            OutputStream out = to.getOutputStream();
            while (true) {
              Piece piece = queue.take();
              if (piece.bytes().length == 0) {
                to.shutdownOutput();
                return;
              }
              for (long left = piece.due() - System.nanoTime();
                  left > 0;
                  left = piece.due() - System.nanoTime()) {
                LockSupport.parkNanos(left);
              }
              out.write(piece.bytes());
            }
          } catch (IOException | InterruptedException ended) {
            close(from);
            close(to);
          }
        });
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
