package io.sandboxspi.bench.contender;

import io.sandboxspi.local.driver.DriverListener;
import io.sandboxspi.local.driver.DriverProcess;
import io.sandboxspi.local.driver.PtyDriver;
import io.sandboxspi.local.driver.PtyDrivers;
import io.sandboxspi.local.driver.SpawnException;
import io.sandboxspi.local.driver.SpawnRequest;
import io.sandboxspi.local.driver.WindowSize;
import io.sandboxspi.local.sweep.Outcome;
import io.sandboxspi.local.sweep.ProcessSweep;
import io.sandboxspi.local.sweep.Target;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A driver of the local provider without the engine. */
public final class LinuxContender implements Contender {
  private static final Optional<WindowSize> TERMINAL = Optional.of(new WindowSize(80, 24));
  private static final long LIMIT = TimeUnit.SECONDS.toNanos(60);

  private final PtyDriver driver;
  private final Map<String, Target> kept = new LinkedHashMap<>();

  /** Over the driver of this name. */
  public LinuxContender(String driver) {
    this.driver = PtyDrivers.open(Optional.of(driver));
  }

  /** Remembers when things came. */
  private static class Watcher implements DriverListener {
    final CountDownLatch first = new CountDownLatch(1);
    final CountDownLatch over = new CountDownLatch(2);
    volatile long firstAt;

    @Override
    public boolean onOutput(int stream, ByteBuffer bytes) {
      if (firstAt == 0) {
        firstAt = System.nanoTime();
        first.countDown();
      }
      return true;
    }

    @Override
    public void onOutputClosed() {
      over.countDown();
    }

    @Override
    public void onExit(int code, int signal) {
      over.countDown();
    }

    @Override
    public void onExitUnknown(String cause) {
      over.countDown();
    }

    void awaitEnd() throws InterruptedException, TimeoutException {
      await(over);
    }
  }

  private static void await(CountDownLatch latch) throws InterruptedException, TimeoutException {
    if (!latch.await(60, TimeUnit.SECONDS)) {
      throw new TimeoutException("a process did nothing for 60 s");
    }
  }

  private DriverProcess spawn(
      List<String> argv, String cookie, Optional<WindowSize> terminal, DriverListener listener)
      throws SpawnException {
    Map<String, String> environment = new HashMap<>(Programs.environment());
    environment.put(ProcessSweep.VARIABLE, cookie);
    return driver.spawn(new SpawnRequest(argv, environment, "/", terminal, false), listener);
  }

  @Override
  public long firstByte(List<String> argv) throws Exception {
    Watcher watcher = new Watcher();
    long begin = System.nanoTime();
    DriverProcess process = spawn(argv, cookie(), TERMINAL, watcher);
    await(watcher.first);
    watcher.awaitEnd();
    process.release();
    return watcher.firstAt - begin;
  }

  @Override
  public long whole(List<String> argv) throws Exception {
    Watcher watcher = new Watcher();
    long begin = System.nanoTime();
    DriverProcess process = spawn(argv, cookie(), Optional.empty(), watcher);
    watcher.awaitEnd();
    long end = System.nanoTime();
    process.release();
    return end - begin;
  }

  @Override
  public Dialogue dialogue() throws Exception {
    EchoWatcher watcher = new EchoWatcher();
    DriverProcess process = spawn(Programs.ECHO, cookie(), TERMINAL, watcher);
    await(watcher.first);
    return new Dialogue() {
      private final ByteBuffer one = ByteBuffer.allocateDirect(1);

      @Override
      public long roundTrip() throws Exception {
        watcher.caller = Thread.currentThread();
        long seen = watcher.events;
        one.clear();
        long begin = System.nanoTime();
        process.write(one, begin + LIMIT);
        while (watcher.events == seen) {
          LockSupport.parkNanos(LIMIT);
        }
        return System.nanoTime() - begin;
      }

      @Override
      public void close() throws Exception {
        process.signalGroup(9);
        watcher.awaitEnd();
        process.release();
      }
    };
  }

  /** Wakes the caller at each output. */
  private static final class EchoWatcher extends Watcher {
    private volatile @Nullable Thread caller;
    private volatile long events;

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread of the driver
    public boolean onOutput(int stream, ByteBuffer bytes) {
      events++;
      LockSupport.unpark(caller);
      return super.onOutput(stream, bytes);
    }
  }

  @Override
  public long drain(List<String> argv, int buffer) throws Exception {
    long[] total = new long[1];
    Watcher watcher =
        new Watcher() {
          @Override
          public boolean onOutput(int stream, ByteBuffer bytes) {
            total[0] += bytes.remaining();
            return super.onOutput(stream, bytes);
          }
        };
    DriverProcess process = spawn(argv, cookie(), TERMINAL, watcher);
    watcher.awaitEnd();
    process.release();
    return total[0];
  }

  @Override
  public void keep(List<String> argv) throws Exception {
    Watcher watcher = new Watcher();
    String cookie = cookie();
    long before = System.nanoTime();
    DriverProcess process = spawn(argv, cookie, TERMINAL, watcher);
    kept.put(cookie, new Target(cookie, Optional.of(process), before));
    await(watcher.first);
  }

  @Override
  public void endAll() throws Exception {
    Map<String, Outcome> outcomes = ProcessSweep.killAll(kept.values(), System.nanoTime() + LIMIT);
    kept.values().forEach(target -> target.leader().ifPresent(DriverProcess::release));
    kept.clear();
    for (Outcome outcome : outcomes.values()) {
      if (outcome.kind() == Outcome.Kind.UNCONFIRMED) {
        throw new IllegalStateException("a process survived");
      }
    }
  }

  @Override
  public String session(List<String> argv) throws Exception {
    ByteArrayOutputStream output = new ByteArrayOutputStream();
    Watcher watcher =
        new Watcher() {
          @Override
          public boolean onOutput(int stream, ByteBuffer bytes) {
            byte[] copy = new byte[bytes.remaining()];
            bytes.get(copy);
            output.writeBytes(copy);
            return super.onOutput(stream, bytes);
          }
        };
    DriverProcess process = spawn(argv, cookie(), TERMINAL, watcher);
    watcher.awaitEnd();
    process.release();
    return output.toString(StandardCharsets.UTF_8);
  }

  private static String cookie() {
    return UUID.randomUUID().toString();
  }

  @Override
  public void close() throws Exception {
    if (!kept.isEmpty()) {
      endAll();
    }
    driver.close();
  }
}
