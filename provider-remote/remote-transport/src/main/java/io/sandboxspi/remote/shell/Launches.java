package io.sandboxspi.remote.shell;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.spi.LaunchId;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The launches of a backend, and the ids that must never start (spec S-SPI-03). Thread-safe. */
final class Launches {
  private static final int TOMBSTONES = 10_000;

  private final Object lock = new Object();
  private final Map<LaunchId, Launch> open = new LinkedHashMap<>();
  private final Map<LaunchId, Boolean> tombstones =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<LaunchId, Boolean> eldest) {
          return size() > TOMBSTONES;
        }
      };
  private boolean closed;

  /** Takes a launch up, unless its id was killed or the backend is released. */
  void add(Launch launch) {
    synchronized (lock) {
      if (closed) {
        throw SandboxException.of(
            ErrorCode.BACKEND_GONE, Operation.COMMAND_START, "the sandbox is released");
      }
      if (tombstones.containsKey(launch.id())) {
        throw killed();
      }
      open.put(launch.id(), launch);
    }
  }

  static SandboxException killed() {
    return SandboxException.of(
        ErrorCode.LAUNCH_FAILED, Operation.COMMAND_START, "the launch was killed before it began");
  }

  /**
   * These are about to be killed: they must not start from now on, and their streams are read to
   * the end whatever their listeners say.
   *
   * @return those that are known here
   */
  List<Launch> killing(Collection<LaunchId> ids) {
    List<Launch> mine;
    synchronized (lock) {
      ids.forEach(id -> tombstones.put(id, true));
      mine = ids.stream().map(open::get).filter(Objects::nonNull).toList();
    }
    mine.forEach(Launch::markKilled);
    return mine;
  }

  /** Whether a launch was made here and is not settled. */
  boolean knows(LaunchId id) {
    synchronized (lock) {
      return open.containsKey(id);
    }
  }

  /** Its end is proven, or it never began: when nobody has its handle, nothing of it is kept. */
  void settle(Launch launch) {
    if (launch.silenced()) {
      forget(launch);
    }
  }

  /** Closes its stream; nothing of it is kept. */
  void forget(Launch launch) {
    synchronized (lock) {
      open.remove(launch.id(), launch);
    }
    launch.abandon();
  }

  /** Refuses further launches, and lets go of all streams. */
  void close() {
    List<Launch> all;
    synchronized (lock) {
      closed = true;
      all = List.copyOf(open.values());
    }
    all.forEach(this::forget);
  }
}
