package io.sandboxspi.core.pty;

import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.TerminationOutcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** A model of a bad backend that knows what is true and notes every broken promise. */
final class StressOperations implements CleanupOperations<StressOperations.Entry> {
  private enum Fault {
    NONE,
    FAIL,
    THROW_ERROR,
    STALL,
    STUCK,
    LATE
  }

  private final CountDownLatch lifted = new CountDownLatch(1);
  private final List<String> defects = new CopyOnWriteArrayList<>();
  private final AtomicInteger entries = new AtomicInteger();
  private final AtomicInteger calls = new AtomicInteger();
  private final boolean batches;
  private final Random random;
  private volatile boolean destroyed;

  StressOperations(long seed) {
    this.random = new Random(seed);
    this.batches = random.nextBoolean();
  }

  /** An entry and what is true of it. */
  static final class Entry {
    final CompletableFuture<Boolean> opening = new CompletableFuture<>();
    final AtomicInteger closed = new AtomicInteger();
    final AtomicInteger releases = new AtomicInteger();
    final AtomicBoolean releasing = new AtomicBoolean();
    private final int number;
    private final Fault kill;
    private final Fault release;
    private final AtomicInteger faultsLeft;
    private boolean lives;
    private boolean startedOnce;

    private Entry(int number, Fault kill, Fault release, int faults) {
      this.number = number;
      this.kill = kill;
      this.release = release;
      this.faultsLeft = new AtomicInteger(faults);
    }

    /** The process is there; also after a kill that came before it, as a bad backend may do. */
    synchronized void start() {
      if (!startedOnce) {
        lives = true;
        startedOnce = true;
      }
    }

    private synchronized TerminationOutcome end() {
      boolean lived = lives;
      lives = false;
      return lived ? TerminationOutcome.confirmed() : TerminationOutcome.alreadyGone();
    }

    private synchronized boolean lives() {
      return lives;
    }

    @Override
    public String toString() {
      return "entry " + number + " kill " + kill + " release " + release;
    }
  }

  Entry entry(Random choice) {
    Fault[] faults = Fault.values();
    Fault release = choice.nextInt(4) > 0 ? Fault.NONE : Fault.STUCK;
    return new Entry(
        entries.incrementAndGet(),
        faults[choice.nextInt(faults.length)],
        release,
        1 + choice.nextInt(3));
  }

  Entry stuckEntry() {
    return new Entry(entries.incrementAndGet(), Fault.STUCK, Fault.NONE, 1);
  }

  void destroyed() {
    destroyed = true;
  }

  void lift() {
    lifted.countDown();
  }

  List<String> defects() {
    return defects;
  }

  /** How many calls are under way. */
  int calls() {
    return calls.get();
  }

  @Override
  public TerminationOutcome kill(Entry entry, Deadline deadline) throws InterruptedException {
    calls.incrementAndGet();
    try {
      boolean faulty = lifted.getCount() > 0 && entry.faultsLeft.getAndDecrement() > 0;
      switch (faulty ? entry.kill : Fault.NONE) {
        case FAIL -> throw new IllegalStateException("kill of " + entry);
        case THROW_ERROR -> throw new AssertionError("kill of " + entry);
        case STALL -> lifted.await();
        case STUCK -> stuck();
        case LATE -> {
          // What it says was true when it looked, and is told long after.
          TerminationOutcome seen = entry.end();
          stuckFor(100);
          return seen;
        }
        default -> {
          return entry.end();
        }
      }
      return entry.end();
    } finally {
      calls.decrementAndGet();
    }
  }

  @Override
  public Map<Entry, TerminationOutcome> killAll(List<Entry> together, Deadline deadline)
      throws InterruptedException {
    if (!batches) {
      return Map.of();
    }
    List<Entry> easy = new ArrayList<>();
    together.stream().filter(entry -> entry.kill == Fault.NONE).forEach(easy::add);
    Map<Entry, TerminationOutcome> outcomes = new HashMap<>();
    easy.forEach(entry -> outcomes.put(entry, entry.end()));
    boolean stalls;
    synchronized (random) {
      stalls = lifted.getCount() > 0 && random.nextInt(4) == 0;
    }
    if (stalls) {
      try {
        lifted.await();
      } catch (InterruptedException e) {
        together.forEach(entry -> outcomes.putIfAbsent(entry, TerminationOutcome.unconfirmed(e)));
      }
    }
    return outcomes;
  }

  @Override
  public void release(Entry entry) {
    calls.incrementAndGet();
    try {
      if (!entry.releasing.compareAndSet(false, true)) {
        defects.add("two releases at once: " + entry);
      }
      entry.releases.incrementAndGet();
      if (entry.release == Fault.STUCK && entry.releases.get() == 1) {
        stuck();
      }
      entry.releasing.set(false);
    } finally {
      calls.decrementAndGet();
    }
  }

  @Override
  public void closed(Entry entry) {
    if (entry.closed.incrementAndGet() > 1) {
      defects.add("closed twice: " + entry);
    }
    if (entry.lives() && !destroyed) {
      defects.add("closed while it lives: " + entry);
    }
    if (!entry.opening.isDone()) {
      defects.add("closed while it opens: " + entry);
    }
    if (entry.releases.get() == 0 || entry.releasing.get()) {
      defects.add("closed before its resources went: " + entry);
    }
  }

  private void stuck() {
    stuckFor(60_000);
  }

  /** Whatever interrupts it. */
  private void stuckFor(long millis) {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    boolean interrupted = false;
    while (lifted.getCount() > 0 && System.nanoTime() < end) {
      try {
        lifted.await(end - System.nanoTime(), TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        interrupted = true; // that is what stuck means
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
