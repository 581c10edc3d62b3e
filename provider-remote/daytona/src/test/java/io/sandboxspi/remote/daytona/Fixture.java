package io.sandboxspi.remote.daytona;

import io.sandboxspi.Command;
import io.sandboxspi.ExecResult;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.SandboxSpec;
import io.sandboxspi.core.session.EngineOptions;
import io.sandboxspi.core.session.EngineSession;
import io.sandboxspi.fake.daytona.DaytonaFake;
import io.sandboxspi.fake.daytona.FakeSandbox;
import io.sandboxspi.spi.Deadline;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A fake, a provider that talks to it, and sessions on both. */
final class Fixture implements AutoCloseable {
  final DaytonaFake fake = new DaytonaFake();

  DaytonaProvider provider() {
    return DaytonaProvider.with(fake.settings());
  }

  DaytonaProvider provider(String name, String value) {
    Map<String, String> settings = new HashMap<>(fake.settings());
    settings.put(name, value);
    return DaytonaProvider.with(settings);
  }

  SandboxSession open(Map<String, String> options) throws InterruptedException {
    return open(provider(), options);
  }

  static SandboxSession open(DaytonaProvider provider, Map<String, String> options)
      throws InterruptedException {
    SandboxSpec.Builder spec = SandboxSpec.builder();
    options.forEach(spec::option);
    return EngineSession.open(provider, spec.build(), EngineOptions.defaults());
  }

  FakeSandbox sandbox(SandboxSession session) {
    return fake.sandbox(session.backend().data().get("sandbox")).orElseThrow();
  }

  static ExecResult run(SandboxSession session, String text) throws InterruptedException {
    return session.exec(Command.shell(text).timeout(Duration.ofSeconds(60)));
  }

  static String output(SandboxSession session, String text) throws InterruptedException {
    return run(session, text).stdout().text();
  }

  static Deadline seconds(int value) {
    return Deadline.after(Duration.ofSeconds(value));
  }

  static boolean until(Callable<Boolean> condition) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!condition.call()) {
      if (System.nanoTime() > end) {
        return false;
      }
      boolean unused = new CountDownLatch(1).await(20, TimeUnit.MILLISECONDS);
    }
    return true;
  }

  @Override
  public void close() {
    fake.close();
  }
}
