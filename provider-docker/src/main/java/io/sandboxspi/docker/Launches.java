package io.sandboxspi.docker;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.spi.LaunchId;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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
      check();
      if (tombstones.containsKey(launch.id())) {
        throw killed();
      }
      open.put(launch.id(), launch);
    }
  }

  /** Refuses when the backend is released. */
  void check() {
    synchronized (lock) {
      if (closed) {
        throw SandboxException.of(
            ErrorCode.BACKEND_GONE, Operation.COMMAND_START, "the sandbox is released");
      }
    }
  }

  static SandboxException killed() {
    return SandboxException.of(
        ErrorCode.LAUNCH_FAILED, Operation.COMMAND_START, "the launch was killed before it began");
  }

  /** Whether the launch was made, or is refused, by this backend. */
  boolean knows(LaunchId id) {
    synchronized (lock) {
      return open.containsKey(id) || tombstones.containsKey(id);
    }
  }

  /**
   * These are about to be killed: they must not start from now on, and their streams are read to
   * the end whatever their consumers say.
   *
   * @return those whose exit is not known yet
   */
  List<Launch> killing(Collection<LaunchId> ids) {
    List<Launch> mine;
    synchronized (lock) {
      ids.forEach(id -> tombstones.put(id, true));
      mine = ids.stream().map(open::get).filter(launch -> launch != null).toList();
    }
    for (Launch launch : mine) {
      launch.markKilled();
      boolean unused = launch.attached().thenAccept(ProcessStream::drain).isDone();
    }
    return mine.stream().filter(launch -> !launch.exitKnown()).toList();
  }

  /** This one is proven ended. */
  void ended(LaunchId id) {
    Launch launch;
    synchronized (lock) {
      launch = open.get(id);
    }
    if (launch != null && launch.silenced()) {
      // Nobody has its handle.
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

  /** All that may still run. */
  List<Launch> all() {
    synchronized (lock) {
      return List.copyOf(open.values());
    }
  }

  /** Refuses further launches, and lets go of all streams. */
  void close() {
    synchronized (lock) {
      closed = true;
    }
    all().forEach(this::forget);
  }
}
