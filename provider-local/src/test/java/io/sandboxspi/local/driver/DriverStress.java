package io.sandboxspi.local.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sandboxspi.local.driver.Recorder.Exit;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** What every driver does with many processes, and what is left of them. */
@EnabledOnOs(OS.LINUX)
abstract class DriverStress extends DriverFixture {
  private static final int THREADS = 32;
  private static final int LONG_SESSIONS = 64;
  private static final int SLACK = 5;

  /** How many short sessions the stress test runs unless {@code -Dsandbox.stress} says. */
  abstract int shortSessions();

  /** How many starts the leak tests make. */
  abstract int starts();

  @Test
  @Tag("S-LOCAL-05")
  void shortSessionsBesideLongOnesReceiveOnlyTheirOwnBytes() throws Exception {
    int total = Integer.getInteger("sandbox.stress", shortSessions());
    List<Recorder> longRecorders = new ArrayList<>();
    List<DriverProcess> longSessions = new ArrayList<>();
    for (int i = 0; i < LONG_SESSIONS; i++) {
      Recorder recorder = new Recorder();
      longRecorders.add(recorder);
      longSessions.add(tty(recorder, "sh", "-c", "stty raw -echo; echo ready; exec cat"));
    }
    for (Recorder recorder : longRecorders) {
      recorder.awaitText("ready");
    }
    AtomicInteger next = new AtomicInteger();
    ExecutorService pool = Executors.newFixedThreadPool(THREADS);
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        running.add(pool.submit((Callable<Void>) () -> runShortSessions(next, total)));
      }
      int rounds = 0;
      while (!running.stream().allMatch(Future::isDone)) {
        writeToAll(longSessions, longRecorders, rounds++);
      }
      for (Future<?> each : running) {
        each.get(60, TimeUnit.SECONDS);
      }
      writeToAll(longSessions, longRecorders, rounds++);
      for (int i = 0; i < LONG_SESSIONS; i++) {
        StringBuilder expected = new StringBuilder("ready\n");
        for (int round = 0; round < rounds; round++) {
          expected.append(line(i, round));
        }
        assertThat(longRecorders.get(i).text().replace("\r", "")).isEqualTo(expected.toString());
      }
    } finally {
      pool.shutdownNow();
    }
  }

  private Void runShortSessions(AtomicInteger next, int total) throws Exception {
    for (int i = next.getAndIncrement(); i < total; i = next.getAndIncrement()) {
      Recorder recorder = new Recorder();
      boolean terminal = i % 4 != 0;
      DriverProcess process =
          driver.spawn(
              request(
                  terminal ? Optional.of(new WindowSize(80, 24)) : Optional.empty(),
                  false,
                  "/bin/echo",
                  "short-" + i),
              recorder);
      assertThat(recorder.awaitEnd(60)).isEqualTo(new Exit(0, 0));
      process.release();
      assertThat(recorder.text()).isEqualTo("short-" + i + (terminal ? "\r\n" : "\n"));
    }
    return null;
  }

  private static void writeToAll(List<DriverProcess> sessions, List<Recorder> recorders, int round)
      throws Exception {
    for (int i = 0; i < sessions.size(); i++) {
      sessions.get(i).write(bytes(line(i, round)), in(20));
    }
    for (int i = 0; i < sessions.size(); i++) {
      String line = line(i, round);
      recorders.get(i).await(20, "echo", recorder -> recorder.endsWith(line));
    }
  }

  private static String line(int session, int round) {
    return "long-" + session + "-" + round + "\n";
  }

  @Test
  void nothingIsLeftOfEndedProcesses() throws Exception {
    runOne(true);
    runOne(false);
    Counts before = Counts.now();
    for (int i = 0; i < starts(); i++) {
      runOne(i % 2 == 0);
    }
    before.awaitAtMost(SLACK);
  }

  private void runOne(boolean terminal) throws Exception {
    Recorder recorder = new Recorder();
    SpawnRequest request =
        request(
            terminal ? Optional.of(new WindowSize(80, 24)) : Optional.empty(), !terminal, "true");
    DriverProcess process = driver.spawn(request, recorder);
    recorder.awaitEnd();
    process.release();
  }

  @Test
  void nothingIsLeftOfProcessesThatAreReleasedAlive() throws Exception {
    runOne(true);
    Counts before = Counts.now();
    for (int i = 0; i < 50; i++) {
      DriverProcess process =
          driver.spawn(
              request(Optional.of(new WindowSize(80, 24)), false, "sleep", "60"), new Recorder());
      process.release();
      DriverProcess pipes = driver.spawn(request(Optional.empty(), true, "cat"), new Recorder());
      pipes.release();
    }
    before.awaitAtMost(SLACK);
  }

  @Test
  void nothingIsLeftOfStartsThatFail() throws Exception {
    failStarts(10);
    Counts before = Counts.now();
    failStarts(200);
    before.awaitAtMost(SLACK);
  }

  private void failStarts(int count) {
    for (int i = 0; i < count; i++) {
      boolean terminal = i % 2 == 0;
      SpawnRequest request =
          request(
              terminal ? Optional.of(new WindowSize(80, 24)) : Optional.empty(),
              !terminal,
              i % 3 == 0 ? "/no/such/bin" : "/etc/hosts");
      assertThatThrownBy(() -> driver.spawn(request, new Recorder()))
          .isInstanceOf(SpawnException.class);
    }
  }

  @Test
  void resizesThatRaceTheEndNeverFail() throws Exception {
    for (int i = 0; i < 100; i++) {
      Recorder recorder = new Recorder();
      DriverProcess process = tty(recorder, "true");
      Thread resizer =
          new Thread(
              () -> {
                for (int n = 1; n < 200; n++) {
                  process.resize(new WindowSize(n, n));
                }
              });
      resizer.start();
      assertThat(recorder.awaitEnd()).isEqualTo(new Exit(0, 0));
      process.release();
      resizer.join();
    }
  }

  @Test
  void writesThatRaceTheReleaseEnd() throws Exception {
    ExecutorService pool = Executors.newSingleThreadExecutor();
    try {
      for (int i = 0; i < 100; i++) {
        Recorder recorder = new Recorder();
        DriverProcess process = i % 2 == 0 ? tty(recorder, "cat") : piped(recorder, "cat");
        Future<?> writer =
            pool.submit(
                (Callable<Void>)
                    () -> {
                      try {
                        while (true) {
                          process.write(bytes("0123456789\n"), in(20));
                        }
                      } catch (ClosedInputException ended) {
                        return null;
                      }
                    });
        recorder.awaitText("0123");
        process.release();
        writer.get(10, TimeUnit.SECONDS);
        process.signalGroup(9);
      }
    } finally {
      pool.shutdownNow();
    }
  }

  /** What may leak. */
  private record Counts(int descriptors, int threads, int children, int terminals) {
    static Counts now() {
      return new Counts(
          entries("/proc/self/fd"),
          entries("/proc/self/task"),
          countChildren(),
          entries("/dev/pts"));
    }

    private static int entries(String directory) {
      String[] names = new File(directory).list();
      return names == null ? 0 : names.length;
    }

    /** Children of this JVM, ended ones too. */
    private static int countChildren() {
      String self = Long.toString(ProcessHandle.current().pid());
      int count = 0;
      for (File process : Optional.ofNullable(new File("/proc").listFiles()).orElseThrow()) {
        if (Character.isDigit(process.getName().charAt(0))) {
          try {
            String stat = Files.readString(Path.of(process.getPath(), "stat"));
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            count += fields[1].equals(self) ? 1 : 0;
          } catch (IOException gone) {
            assertThat(gone).isNotNull();
          }
        }
      }
      return count;
    }

    void awaitAtMost(int slack) {
      long deadline = in(10);
      Counts now = now();
      while (now.exceeds(this, slack) && System.nanoTime() < deadline) {
        Thread.onSpinWait();
        now = now();
      }
      assertThat(now.exceeds(this, slack)).as("before %s, now %s", this, now).isFalse();
    }

    private boolean exceeds(Counts before, int slack) {
      return descriptors > before.descriptors + slack
          || threads > before.threads + slack
          || children > before.children
          || terminals > before.terminals + slack;
    }
  }
}
