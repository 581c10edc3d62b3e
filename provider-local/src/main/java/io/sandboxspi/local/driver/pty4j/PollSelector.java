package io.sandboxspi.local.driver.pty4j;

import io.sandboxspi.local.driver.posix.NativeBuffer;
import io.sandboxspi.local.driver.posix.Posix;
import io.sandboxspi.local.driver.posix.Selector;
import java.util.LinkedHashMap;
import java.util.Map;

/** Waits by poll, which every POSIX system has. A change takes effect with the next wait. */
final class PollSelector implements Selector {
  private static final int ENTRY = 8;
  private static final int EVENTS = 4;
  private static final int RETURNED = 6;

  /** What is watched for on a descriptor. */
  private record Interest(int events, long token) {}

  private final Map<Integer, Interest> interests = new LinkedHashMap<>();
  private NativeBuffer entries = new NativeBuffer(16 * ENTRY);
  private long[] tokens = new long[16];
  private int[] ready = new int[16];

  @Override
  public synchronized boolean change(int fd, int before, int events, long token) {
    if (events == 0) {
      interests.remove(fd);
    } else {
      interests.put(fd, new Interest(events, token));
    }
    return true;
  }

  @Override
  public boolean concurrent() {
    return false;
  }

  @Override
  public int select(int timeoutMillis) {
    int count = list();
    if (Posix.poll(entries.address, count, timeoutMillis) <= 0) {
      return 0;
    }
    int found = 0;
    for (int i = 0; i < count; i++) {
      if (entries.bytes.getShort(i * ENTRY + RETURNED) != 0) {
        ready[found++] = i;
      }
    }
    return found;
  }

  private synchronized int list() {
    int count = interests.size();
    if (count > tokens.length) {
      tokens = new long[2 * count];
      ready = new int[2 * count];
      entries = new NativeBuffer(2 * count * ENTRY);
    }
    int i = 0;
    for (Map.Entry<Integer, Interest> interest : interests.entrySet()) {
      tokens[i] = interest.getValue().token();
      entries.bytes.putInt(i * ENTRY, interest.getKey());
      entries.bytes.putShort(i * ENTRY + EVENTS, (short) interest.getValue().events());
      entries.bytes.putShort(i * ENTRY + RETURNED, (short) 0);
      i++;
    }
    return count;
  }

  @Override
  public long token(int index) {
    return tokens[ready[index]];
  }

  @Override
  public int events(int index) {
    return entries.bytes.getShort(ready[index] * ENTRY + RETURNED);
  }

  @Override
  public void close() {
    // It has nothing of its own.
  }
}
