package io.sandboxspi.remote.transport;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Content that is sent: remembers that it could not be read, and leaves closing to its owner. */
final class UploadStream extends FilterInputStream {
  private volatile @Nullable Exception failure;

  UploadStream(InputStream in) {
    super(in);
  }

  Optional<Exception> failure() {
    return Optional.ofNullable(failure);
  }

  @Override
  public int read(byte[] into, int offset, int length) throws IOException {
    try {
      return in.read(into, offset, length);
    } catch (IOException | RuntimeException e) {
      failure = e;
      throw e;
    }
  }

  @Override
  public void close() {
    // Its owner closes it.
  }
}
