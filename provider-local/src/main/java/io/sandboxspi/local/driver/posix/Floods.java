package io.sandboxspi.local.driver.posix;

import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Keeps outputs that never stop from taking the processors from those that say a little. While
 * there are several and something lighter talks too, they are set aside: not watched but read in
 * turns, a few a millisecond, so that the system holds up their writers in between. Nothing is
 * lost, and alone they go at full speed. Only on the reactor's thread.
 */
final class Floods {
  /** How long after a light output talked the heavy ones stay aside. */
  static final long LIGHT_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /** One that says {@link #HEAVY_BYTES} within this time is heavy. */
  static final long WINDOW_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  static final long HEAVY_BYTES = 32 * 1024;

  /** Between two turns of those aside. */
  static final int TURN_MILLIS = 1;

  /** So many of those aside are read in one turn. */
  static final int TURN_SIZE = 2;

  /** Turns in a row with less than {@link #CALM_BYTES} end being heavy. */
  static final int CALM_TURNS = 3;

  static final int CALM_BYTES = 1024;

  private final Set<Member> heavy = new LinkedHashSet<>();
  private final Queue<Member> aside = new ArrayDeque<>();
  private long lightAt;
  private long nextTurnAt;
  private long prunedAt;

  /** An output. */
  abstract static class Member {
    private long since;
    private long bytes;
    private int calm;
    private boolean aside;

    /** Watches it or no longer does. */
    abstract void watched(boolean on);

    /** Reads what is there, within limits; how many bytes. */
    abstract int turn();

    /** Whether it is not to be watched now. */
    final boolean isAside() {
      return aside;
    }
  }

  /** At this time. */
  Floods(long now) {
    lightAt = now - LIGHT_NANOS;
    nextTurnAt = now;
    prunedAt = now;
  }

  /** A watched member has been read. */
  void read(Member member, int bytes, long now) {
    if (bytes <= 0 || member.aside) {
      return;
    }
    if (now - member.since > WINDOW_NANOS) {
      member.since = now;
      if (member.bytes < HEAVY_BYTES) {
        heavy.remove(member);
      }
      member.bytes = 0;
    }
    member.bytes += bytes;
    if (member.bytes >= HEAVY_BYTES) {
      heavy.add(member);
    }
    if (!heavy.contains(member)) {
      lightAt = now;
    } else if (contended(now)) {
      member.aside = true;
      member.calm = 0;
      aside.add(member);
      member.watched(false);
    }
  }

  private boolean contended(long now) {
    if (heavy.size() < 2 || now - lightAt >= LIGHT_NANOS) {
      return false;
    }
    if (now - prunedAt > WINDOW_NANOS) {
      prunedAt = now;
      heavy.removeIf(member -> !member.aside && now - member.since > 2 * WINDOW_NANOS);
    }
    return heavy.size() >= 2;
  }

  /** Whether some are aside, so that {@link #serve} must be called every {@link #TURN_MILLIS}. */
  boolean waiting() {
    return !aside.isEmpty();
  }

  /** Gives those aside their turn, if it is time. */
  void serve(long now) {
    if (aside.isEmpty() || now - nextTurnAt < 0) {
      return;
    }
    if (!contended(now)) {
      for (Member member = aside.poll(); member != null; member = aside.poll()) {
        back(member, now);
      }
      return;
    }
    nextTurnAt = now + TimeUnit.MILLISECONDS.toNanos(TURN_MILLIS);
    for (int i = Math.min(TURN_SIZE, aside.size()); i > 0 && !aside.isEmpty(); i--) {
      Member member = aside.remove();
      int bytes = member.turn();
      if (member.aside) {
        member.calm = bytes < CALM_BYTES ? member.calm + 1 : 0;
        if (member.calm < CALM_TURNS) {
          aside.add(member);
        } else {
          heavy.remove(member);
          back(member, now);
        }
      }
    }
  }

  private static void back(Member member, long now) {
    member.aside = false;
    member.since = now;
    member.bytes = 0;
    member.watched(true);
  }

  /** Forgets a member, which is watched again by whoever calls this, or never. */
  void leave(Member member) {
    heavy.remove(member);
    if (member.aside) {
      member.aside = false;
      aside.remove(member);
    }
  }
}
