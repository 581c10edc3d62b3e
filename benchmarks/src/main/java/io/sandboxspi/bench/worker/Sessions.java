package io.sandboxspi.bench.worker;

import io.sandboxspi.bench.contender.Contender;
import io.sandboxspi.bench.contender.Programs;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Many short sessions at once; each must get its own output, whole and nothing else. */
final class Sessions {
  private Sessions() {}

  /** Sessions, cut short ones, ones with other wrong output, failed ones, nanoseconds. */
  static long[] run(Contender contender, int count, int threads) throws InterruptedException {
    AtomicInteger next = new AtomicInteger();
    AtomicLong cut = new AtomicLong();
    AtomicLong wrong = new AtomicLong();
    AtomicLong failed = new AtomicLong();
    long begin = System.nanoTime();
    List<Thread> running = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      Thread thread =
          new Thread(
              () -> {
                for (int n = next.getAndIncrement(); n < count; n = next.getAndIncrement()) {
                  String word = "session-" + n;
                  try {
                    String got = contender.session(Programs.word(word));
                    if (!got.equals(word + "\r\n")) {
                      ((word + "\r\n").startsWith(got) ? cut : wrong).incrementAndGet();
                    }
                  } catch (Exception failure) {
                    failed.incrementAndGet();
                    System.err.println("session " + n + ": " + failure);
                  }
                }
              },
              "session-" + i);
      thread.setDaemon(true);
      thread.start();
      running.add(thread);
    }
    for (Thread thread : running) {
      thread.join();
    }
    return new long[] {count, cut.get(), wrong.get(), failed.get(), System.nanoTime() - begin};
  }
}
