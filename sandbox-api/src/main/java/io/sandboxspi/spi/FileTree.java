package io.sandboxspi.spi;

import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;

/**
 * The entries of a directory, read once from the first to the last and never held in memory as a
 * whole. A directory comes before what is in it, unless it is left out, which is fine too. For one
 * thread at a time.
 */
public interface FileTree extends Closeable {
  /**
   * Goes to the next entry; what is left of the current file's content is passed over.
   *
   * @return empty at the end
   * @throws io.sandboxspi.SandboxException when the tree breaks a rule (spec S-ARCH-02)
   */
  Optional<TreeEntry> next() throws IOException, InterruptedException;

  /**
   * Reads content of the current file.
   *
   * @param length above zero
   * @return how many bytes, at least one; -1 at the end of the content
   */
  int read(byte[] target, int offset, int length) throws IOException, InterruptedException;
}
