package io.sandboxspi.local.driver.posix;

import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One thread that waits for all descriptors and runs all callbacks. Level-triggered; every ready
 * descriptor gets one bounded turn a round, and {@link Floods} are held back, so that some that
 * never stop do not starve the others.
 */
public final class Reactor {
  /** What is run when a descriptor is ready; on the reactor's thread. */
  interface Handler {
    void ready(int events);
  }

  static final int READ_SIZE = 65_536;

  private static final Logger LOG = LoggerFactory.getLogger(Reactor.class);
  private static final int TICK_MILLIS = 100;
  private static final int IDLE_MILLIS = 10_000;

  /** How long the next answer of a dialogue is waited for without giving up the processor. */
  private static final long DIALOGUE_NANOS = 60_000;

  private static final boolean SEVERAL_PROCESSORS = Runtime.getRuntime().availableProcessors() > 1;

  private static final long WAKE_TOKEN = 0;

  /** Where reads land; only for the reactor's thread. */
  final NativeBuffer readBuffer = new NativeBuffer(READ_SIZE);

  /** Only for the reactor's thread. */
  final Floods floods = new Floods(System.nanoTime());

  private final Selector selector;
  private final Fd wakeIn;
  private final Fd wakeOut;
  private final NativeBuffer oneByte = new NativeBuffer(1);
  private final Thread thread;
  private final Map<Long, Handler> handlers = new ConcurrentHashMap<>();
  private final AtomicLong tokens = new AtomicLong(WAKE_TOKEN);
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean woken = new AtomicBoolean();
  private final Set<Runnable> tickers = new LinkedHashSet<>();
  private final AtomicLong holds = new AtomicLong(1);
  private long lastTick = System.nanoTime();
  private int batch;
  private boolean dialogue;

  /** Starts the thread. */
  public Reactor(Selector selector, String threadName) {
    this.selector = selector;
    NativeBuffer ends = new NativeBuffer(2 * Integer.BYTES);
    if (Posix.pipe(ends.address) != 0) {
      int errno = Posix.errno();
      selector.close();
      throw new IllegalStateException("no descriptors for the reactor (errno " + errno + ")");
    }
    wakeOut = wakeEnd(ends.bytes.getInt(0));
    wakeIn = wakeEnd(ends.bytes.getInt(Integer.BYTES));
    selector.change(wakeOut.number, 0, Posix.IN, WAKE_TOKEN);
    thread = new Thread(this::run, threadName);
    thread.setDaemon(true);
    thread.start();
  }

  private static Fd wakeEnd(int fd) {
    Posix.adopt(fd);
    return new Fd(fd, Posix::close);
  }

  /** Names a handler; never reused. */
  long register(Handler handler) {
    long token = tokens.incrementAndGet();
    handlers.put(token, handler);
    return token;
  }

  void unregister(long token) {
    handlers.remove(token);
  }

  /** As {@link Selector#change}. */
  boolean change(int fd, int before, int events, long token) {
    boolean done = selector.change(fd, before, events, token);
    if (!selector.concurrent()) {
      wake();
    }
    return done;
  }

  /** Stops watching and closes; the closer of every watched {@link Fd}. */
  void closeWatched(int fd) {
    // By hand: a child between its fork and exec may still share the open file, and then closing
    // alone would leave it in the set.
    selector.change(fd, Posix.IN, 0, WAKE_TOKEN);
    if (selector.concurrent() || !hold()) {
      Posix.close(fd);
      return;
    }
    post(
        () -> {
          Posix.close(fd);
          release();
        });
  }

  /** Runs a task on the reactor's thread, in order. */
  public void post(Runnable task) {
    tasks.add(task);
    wake();
  }

  /** Calls every 100 ms; only on the reactor's thread. */
  void addTicker(Runnable ticker) {
    tickers.add(ticker);
  }

  void removeTicker(Runnable ticker) {
    tickers.remove(ticker);
  }

  /** Whether the round has only one ready descriptor, which may then take a longer turn. */
  boolean quiet() {
    return batch == 1;
  }

  /** A little has been said, and an answer to it may bring more within microseconds. */
  void dialogue() {
    dialogue = SEVERAL_PROCESSORS && quiet();
  }

  /** Keeps the thread until the matching {@link #release()}; false once it is ending. */
  public boolean hold() {
    while (true) {
      long seen = holds.get();
      if (seen == 0) {
        return false;
      }
      if (holds.compareAndSet(seen, seen + 1)) {
        return true;
      }
    }
  }

  /** Undoes a hold, or the one that construction took; the thread ends with the last. */
  public void release() {
    if (holds.decrementAndGet() == 0) {
      wake();
    }
  }

  private void wake() {
    // Entered, so that a late wake-up never writes to a number that belongs to somebody else.
    if (Thread.currentThread() == thread || !woken.compareAndSet(false, true) || !wakeIn.enter()) {
      return;
    }
    Posix.write(wakeIn.number, oneByte.address, 1);
    wakeIn.leave();
  }

  private void run() {
    while (holds.get() > 0) {
      batch = select();
      for (int i = 0; i < batch; i++) {
        dispatch(selector.token(i), selector.events(i));
      }
      runTasks();
      tick();
      serveFloods();
    }
    wakeIn.close();
    wakeOut.close();
    runTasks();
    selector.close();
  }

  @SuppressWarnings("ThreadPriorityCheck") // whoever waits for this processor may have the answer
  private int select() {
    if (dialogue) {
      dialogue = false;
      long limit = System.nanoTime() + DIALOGUE_NANOS;
      do {
        int ready = selector.select(0);
        if (ready != 0) {
          return ready;
        }
        Thread.yield();
      } while (System.nanoTime() - limit < 0);
    }
    return selector.select(timeout());
  }

  private int timeout() {
    if (floods.waiting()) {
      return Floods.TURN_MILLIS;
    }
    return tickers.isEmpty() ? IDLE_MILLIS : TICK_MILLIS;
  }

  private void serveFloods() {
    if (floods.waiting()) {
      guarded(() -> floods.serve(System.nanoTime()));
    }
  }

  private void dispatch(long token, int events) {
    if (events == 0) {
      return;
    }
    if (token == WAKE_TOKEN) {
      // In this order: the flag must never stay set without a byte in the pipe.
      Posix.read(wakeOut.number, readBuffer.address, READ_SIZE);
      woken.set(false);
      return;
    }
    Handler handler = handlers.get(token);
    if (handler != null) {
      try {
        handler.ready(events);
      } catch (Throwable defect) {
        report(defect);
      }
    }
  }

  private void runTasks() {
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      guarded(task);
    }
  }

  private void tick() {
    if (tickers.isEmpty() || System.nanoTime() - lastTick < TICK_MILLIS * 1_000_000L) {
      return;
    }
    lastTick = System.nanoTime();
    for (Runnable ticker : tickers.toArray(new Runnable[0])) {
      guarded(ticker);
    }
  }

  private static void guarded(Runnable task) {
    try {
      task.run();
    } catch (Throwable defect) {
      report(defect);
    }
  }

  /** One broken listener must not silence every other process. */
  private static void report(Throwable defect) {
    LOG.error("callback of a local process failed", defect);
  }
}
