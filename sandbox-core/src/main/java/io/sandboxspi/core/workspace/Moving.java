package io.sandboxspi.core.workspace;

import io.sandboxspi.spi.FileTree;
import io.sandboxspi.spi.TreeEntry;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.function.LongConsumer;

/** Tells how many bytes of content are read through it. */
final class Moving {
  /** Tells nobody. */
  static final LongConsumer UNTOLD = bytes -> {};

  private Moving() {}

  /** One that nobody is told of is the stream itself: some are known to those who read them. */
  static InputStream of(InputStream in, LongConsumer moved) {
    return moved == UNTOLD ? in : new Told(in, moved);
  }

  static FileTree of(FileTree tree, LongConsumer moved) {
    return moved == UNTOLD ? tree : new ToldTree(tree, moved);
  }

  private static final class Told extends FilterInputStream {
    private final LongConsumer moved;

    Told(InputStream in, LongConsumer moved) {
      super(in);
      this.moved = moved;
    }

    @Override
    public int read() throws IOException {
      int value = in.read();
      if (value >= 0) {
        moved.accept(1);
      }
      return value;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      int count = in.read(target, offset, length);
      if (count > 0) {
        moved.accept(count);
      }
      return count;
    }
  }

  private record ToldTree(FileTree tree, LongConsumer moved) implements FileTree {
    @Override
    public Optional<TreeEntry> next() throws IOException, InterruptedException {
      return tree.next();
    }

    @Override
    public int read(byte[] target, int offset, int length)
        throws IOException, InterruptedException {
      int count = tree.read(target, offset, length);
      if (count > 0) {
        moved.accept(count);
      }
      return count;
    }

    @Override
    public void close() throws IOException {
      tree.close();
    }
  }
}
