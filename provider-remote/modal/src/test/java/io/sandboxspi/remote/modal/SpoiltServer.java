package io.sandboxspi.remote.modal;

import io.sandboxspi.fake.FakeThreads;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** Answers every call with the head of a good answer and the same bytes behind it, and ends. */
final class SpoiltServer implements AutoCloseable {
  private static final int PREFACE = 24;
  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int SETTINGS = 4;
  private static final int PING = 6;
  private static final int ACK = 1;
  private static final int END_STREAM = 1;
  private static final int END_HEADERS = 4;

  private final ServerSocket listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
  private final byte[] answer;

  SpoiltServer(byte[] answer) throws IOException {
    this.answer = answer;
    FakeThreads.start("spoilt", this::accept);
  }

  String address() {
    return "http://127.0.0.1:" + listener.getLocalPort();
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        FakeThreads.start("spoilt", () -> serve(client));
      } catch (IOException closed) {
        assert listener.isClosed();
      }
    }
  }

  private void serve(Socket client) {
    try (client;
        DataInputStream in = new DataInputStream(client.getInputStream());
        OutputStream out = client.getOutputStream()) {
      in.skipNBytes(PREFACE);
      frame(out, SETTINGS, 0, 0, new byte[0]);
      while (true) {
        int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
        int type = in.readUnsignedByte();
        int flags = in.readUnsignedByte();
        int stream = in.readInt();
        byte[] content = in.readNBytes(length);
        if ((type == SETTINGS || type == PING) && (flags & ACK) == 0) {
          frame(out, type, ACK, 0, type == PING ? content : new byte[0]);
        } else if (type == HEADERS) {
          frame(out, HEADERS, END_HEADERS, stream, head());
          frame(out, DATA, END_STREAM, stream, answer);
        }
      }
    } catch (IOException left) {
      assert left.getClass() != null;
    }
  }

  /** Status 200 and the type of a gRPC answer. */
  private static byte[] head() {
    byte[] type = "application/grpc".getBytes(StandardCharsets.US_ASCII);
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    head.writeBytes(new byte[] {(byte) 0x88, 0x0f, 0x10, (byte) type.length});
    head.writeBytes(type);
    return head.toByteArray();
  }

  private static void frame(OutputStream out, int type, int flags, int stream, byte[] content)
      throws IOException {
    ByteArrayOutputStream frame = new ByteArrayOutputStream();
    for (int value : new int[] {content.length >> 16, content.length >> 8, content.length}) {
      frame.write(value);
    }
    frame.write(type);
    frame.write(flags);
    for (int shift = 24; shift >= 0; shift -= 8) {
      frame.write(stream >> shift);
    }
    frame.writeBytes(content);
    out.write(frame.toByteArray());
    out.flush();
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
