package io.sandboxspi.local.driver.posix;

import java.nio.file.Path;

/** An entry of a directory that stays the same whatever happens to its name. Linux only. */
public final class OpenEntry implements AutoCloseable {
  private final Fd fd;

  OpenEntry(int fd) {
    this.fd = new Fd(fd, Posix::close);
  }

  /** Its path through the descriptor, good until it is closed; of no use for a link. */
  public Path path() {
    return Path.of("/proc/self/fd", Integer.toString(fd.number));
  }

  @Override
  public void close() {
    fd.close();
  }
}
