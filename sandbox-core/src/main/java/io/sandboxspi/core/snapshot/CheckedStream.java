package io.sandboxspi.core.snapshot;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.util.HexFormat;

/** Fails at its end unless it was what it should be. */
final class CheckedStream extends FilterInputStream {
  private final long size;
  private final String sha256;
  private final MessageDigest digest = SnapshotFiles.sha256();
  private long read;
  private boolean ended;

  CheckedStream(InputStream in, long size, String sha256) {
    super(in);
    this.size = size;
    this.sha256 = sha256;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    int count = in.read(target, offset, length);
    if (count > 0) {
      digest.update(target, offset, count);
      read += count;
    } else if (count < 0 && !ended) {
      ended = true;
      String seen = HexFormat.of().formatHex(digest.digest());
      if (read != size || !seen.equals(sha256)) {
        ended = false;
        throw new IOException("the snapshot is damaged: its content is not what was saved");
      }
    }
    return count;
  }

  /** Everything is read, so that everything is checked. */
  @Override
  public long skip(long count) throws IOException {
    byte[] buffer = new byte[8 * 1024];
    long left = count;
    while (left > 0) {
      int got = read(buffer, 0, (int) Math.min(left, buffer.length));
      if (got < 0) {
        break;
      }
      left -= got;
    }
    return count - left;
  }

  @Override
  public boolean markSupported() {
    return false;
  }
}
