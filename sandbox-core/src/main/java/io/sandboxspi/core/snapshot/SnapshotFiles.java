package io.sandboxspi.core.snapshot;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Writing files so that they are on the disk. */
final class SnapshotFiles {
  private SnapshotFiles() {}

  /** What was written. */
  record Written(long size, String sha256) {}

  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JVM has SHA-256", e);
    }
  }

  static void writeFully(FileChannel channel, byte[] bytes) throws IOException {
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    while (buffer.hasRemaining()) {
      int unused = channel.write(buffer);
    }
  }

  /** Makes the names in a directory durable. */
  static void sync(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  /** Why, without the names of files of this machine. */
  static String reason(IOException failure) {
    String why = failure instanceof FileSystemException e ? e.getReason() : failure.getMessage();
    return failure.getClass().getSimpleName() + (why == null ? "" : ": " + why);
  }

  /** Writes a file and counts and digests it on the way. */
  static final class Sink extends OutputStream {
    private final FileChannel channel;
    private final MessageDigest digest = sha256();
    private long size;

    Sink(Path target) throws IOException {
      this.channel = FileChannel.open(target, StandardOpenOption.WRITE);
    }

    @Override
    public void write(int value) throws IOException {
      write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      ByteBuffer buffer = ByteBuffer.wrap(bytes, offset, length);
      while (buffer.hasRemaining()) {
        int unused = channel.write(buffer);
      }
      digest.update(bytes, offset, length);
      size += length;
    }

    /** On the disk. */
    Written finish() throws IOException {
      channel.force(true);
      return new Written(size, HexFormat.of().formatHex(digest.digest()));
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }
}
