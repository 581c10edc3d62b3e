package io.sandboxspi.core.time;

import java.lang.reflect.Method;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Threads of one session for one kind of work. A lane has no limit and no queue, so that work that
 * is stuck never keeps other work waiting (spec S-CLEAN-02). Its threads are daemons, named {@code
 * sandbox-<session>-<role>}, and go away when idle. Thread-safe.
 */
public final class Lane {
  private static final Logger LOG = LoggerFactory.getLogger(Lane.class);
  private static final long IDLE_SECONDS = 2;

  private final String name;
  private final ThreadPoolExecutor executor;

  Lane(String name, ThreadPoolExecutor executor) {
    this.name = name;
    this.executor = executor;
  }

  /**
   * Platform threads: for cleanup, because a virtual thread waits for a carrier that stuck native
   * calls can take.
   */
  public static Lane platform(String name) {
    return new Lane(
        name,
        new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            daemon(name)));
  }

  /** Virtual threads where the JVM has them, platform threads elsewhere. */
  public static Lane light(String name) {
    ThreadFactory virtual = VirtualThreads.factory(name + "-");
    if (virtual == null) {
      return platform(name);
    }
    return new Lane(
        name,
        new ThreadPoolExecutor(
            0, Integer.MAX_VALUE, 0, TimeUnit.SECONDS, new SynchronousQueue<>(), virtual));
  }

  /**
   * Runs a task. What it throws is logged, and so is that there was no thread for it: this is
   * called where nothing may be thrown, as by a backend that tells of an exit.
   */
  public void execute(Runnable task) {
    LaneTask<Boolean> done =
        call(
            () -> {
              task.run();
              return true;
            });
    Callback.when(
        done,
        (ok, failure) -> {
          if (failure != null) {
            LOG.error("a task of {} failed", name, failure);
          }
        });
  }

  /** Calls a task and completes the answer with its value or with exactly what it threw. */
  public <T> LaneTask<T> call(Callable<T> task) {
    LaneTask<T> result = new LaneTask<>();
    try {
      executor.execute(() -> result.run(task));
    } catch (RuntimeException | Error noThread) {
      result.completeExceptionally(noThread);
    }
    return result;
  }

  /** Lets threads end as soon as they are idle; late work is still done. */
  public void retire() {
    executor.setKeepAliveTime(0, TimeUnit.SECONDS);
  }

  static ThreadFactory daemon(String name) {
    AtomicLong next = new AtomicLong();
    return task -> {
      Thread thread = Executors.defaultThreadFactory().newThread(task);
      thread.setDaemon(true);
      thread.setName(name + "-" + next.incrementAndGet());
      return thread;
    };
  }

  /** Found once by reflection: the engine's byte code is Java 17. */
  private static final class VirtualThreads {
    private static final @Nullable Method OF_VIRTUAL = find();

    private VirtualThreads() {}

    private static @Nullable Method find() {
      if (Runtime.version().feature() < 21) {
        return null;
      }
      try {
        return Thread.class.getMethod("ofVirtual");
      } catch (NoSuchMethodException absent) {
        LOG.debug("no virtual threads", absent);
        return null;
      }
    }

    static @Nullable ThreadFactory factory(String prefix) {
      if (OF_VIRTUAL == null) {
        return null;
      }
      try {
        Object builder = OF_VIRTUAL.invoke(null);
        Class<?> type = Class.forName("java.lang.Thread$Builder");
        builder = type.getMethod("name", String.class, long.class).invoke(builder, prefix, 1L);
        return (ThreadFactory) type.getMethod("factory").invoke(builder);
      } catch (ReflectiveOperationException absent) {
        LOG.debug("no virtual threads", absent);
        return null;
      }
    }
  }
}
