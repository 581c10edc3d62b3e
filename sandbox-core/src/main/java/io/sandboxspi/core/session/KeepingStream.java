package io.sandboxspi.core.session;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.ref.Reference;

/** Keeps its session reachable while it is read: who reads has not forgotten it. */
final class KeepingStream extends FilterInputStream {
  private final Object owner;

  KeepingStream(InputStream in, Object owner) {
    super(in);
    this.owner = owner;
  }

  @Override
  public int read() throws IOException {
    try {
      return in.read();
    } finally {
      Reference.reachabilityFence(owner);
    }
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    try {
      return in.read(target, offset, length);
    } finally {
      Reference.reachabilityFence(owner);
    }
  }

  @Override
  public long transferTo(OutputStream out) throws IOException {
    try {
      return in.transferTo(out);
    } finally {
      Reference.reachabilityFence(owner);
    }
  }
}
