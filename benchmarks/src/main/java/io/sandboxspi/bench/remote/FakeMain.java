package io.sandboxspi.bench.remote;

import io.sandboxspi.fake.e2b.E2bFake;
import java.io.IOException;
import java.time.Duration;

/**
 * The fake in a JVM of its own: says its address and that of a link to it which takes 50 ms there
 * and back, then runs until its input ends.
 */
public final class FakeMain {
  private static final Duration ONE_WAY = Duration.ofMillis(25);

  private FakeMain() {}

  /** Runs. */
  public static void main(String[] args) throws IOException {
    E2bFake fake = new E2bFake();
    DelayLink link = new DelayLink(fake.uri(), ONE_WAY);
    System.out.println(fake.uri());
    System.out.println(link.uri());
    while (System.in.read() >= 0) {
      continue;
    }
    fake.close();
    System.exit(0);
  }
}
