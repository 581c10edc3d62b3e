package io.sandboxspi;

import java.util.Arrays;

/** What a command reads from its standard input (spec S-EXEC-03). */
public sealed interface Stdin {
  /** End of file at once. */
  static Stdin none() {
    return None.INSTANCE;
  }

  /** The bytes, copied, then end of file. */
  static Stdin bytes(byte[] bytes) {
    return new Bytes(bytes);
  }

  /**
   * Stays open for {@link RunningCommand#stdin()}; only for {@link SandboxSession#start(Command)}.
   */
  static Stdin pipe() {
    return Pipe.INSTANCE;
  }

  /** End of file at once. */
  enum None implements Stdin {
    /** The only value. */
    INSTANCE
  }

  /** Open until the caller closes it. */
  enum Pipe implements Stdin {
    /** The only value. */
    INSTANCE
  }

  /** Fixed input. Immutable; {@code toString} gives the size only. */
  final class Bytes implements Stdin {
    private final byte[] bytes;

    private Bytes(byte[] bytes) {
      this.bytes = bytes.clone();
    }

    /** A copy of the input. */
    public byte[] bytes() {
      return bytes.clone();
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Bytes that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
      return "Bytes[" + bytes.length + "]";
    }
  }
}
