package io.sandboxspi.core.snapshot;

import io.sandboxspi.spi.Deadline;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * One writer of a directory at a time, over threads and processes. The system lets go of it when
 * its process dies.
 */
final class LineageLock implements AutoCloseable {
  private static final long PAUSE_NANOS = Duration.ofMillis(5).toNanos();

  /** A file lock is the process's: it does not keep its own threads apart. */
  private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

  private final Path file;
  private final FileChannel channel;

  private LineageLock(Path file, FileChannel channel) {
    this.file = file;
    this.channel = channel;
  }

  /** Takes the lock; empty at the deadline. */
  static Optional<LineageLock> take(Path file, Deadline deadline)
      throws IOException, InterruptedException {
    while (!HELD.add(file)) {
      if (pause(deadline)) {
        return Optional.empty();
      }
    }
    boolean done = false;
    FileChannel channel = null;
    try {
      channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      FileLock lock = channel.tryLock();
      while (lock == null) {
        if (pause(deadline)) {
          return Optional.empty();
        }
        lock = channel.tryLock();
      }
      done = true;
      return Optional.of(new LineageLock(file, channel));
    } finally {
      if (!done) {
        if (channel != null) {
          channel.close();
        }
        HELD.remove(file);
      }
    }
  }

  /** Waits a moment; whether the deadline has passed. */
  private static boolean pause(Deadline deadline) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException("interrupted while another writer was waited for");
    }
    LockSupport.parkNanos(PAUSE_NANOS);
    return deadline.expired();
  }

  @Override
  public void close() throws IOException {
    try {
      channel.close();
    } finally {
      HELD.remove(file);
    }
  }
}
