package io.sandboxspi.local.driver.linux;

import io.sandboxspi.local.driver.posix.NativeBuffer;
import io.sandboxspi.local.driver.posix.Os;
import io.sandboxspi.local.driver.posix.Posix;
import io.sandboxspi.local.driver.posix.Selector;

/** Waits by epoll. */
final class EpollSelector implements Selector {
  private static final int MAX_EVENTS = 64;

  /** {@code struct epoll_event} is packed on x86-64 only. */
  private static final int EVENT_SIZE = Os.ARM ? 16 : 12;

  private static final int EVENT_DATA = Os.ARM ? 8 : 4;

  private final int epoll;
  private final NativeBuffer ready = new NativeBuffer(MAX_EVENTS * EVENT_SIZE);
  private final NativeBuffer.Pool small = new NativeBuffer.Pool(16);

  EpollSelector() {
    epoll = Linux.epoll_create1(Linux.CLOEXEC);
    if (epoll < 0) {
      throw new IllegalStateException("no descriptor for epoll (errno " + Posix.errno() + ")");
    }
  }

  @Override
  public boolean change(int fd, int before, int events, long token) {
    int operation = before == 0 ? Linux.EPOLL_CTL_ADD : Linux.EPOLL_CTL_MOD;
    if (events == 0) {
      operation = Linux.EPOLL_CTL_DEL;
    }
    NativeBuffer event = small.take(16);
    event.bytes.putInt(0, events).putLong(EVENT_DATA, token);
    int result = Linux.epoll_ctl(epoll, operation, fd, event.address);
    small.give(event);
    return result == 0;
  }

  @Override
  public boolean concurrent() {
    return true;
  }

  @Override
  public int select(int timeoutMillis) {
    return Linux.epoll_wait(epoll, ready.address, MAX_EVENTS, timeoutMillis);
  }

  @Override
  public long token(int index) {
    return ready.bytes.getLong(index * EVENT_SIZE + EVENT_DATA);
  }

  @Override
  public int events(int index) {
    return ready.bytes.getInt(index * EVENT_SIZE);
  }

  @Override
  public void close() {
    Posix.close(epoll);
  }
}
