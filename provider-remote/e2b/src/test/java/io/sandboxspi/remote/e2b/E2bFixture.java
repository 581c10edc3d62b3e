package io.sandboxspi.remote.e2b;

import io.sandboxspi.Command;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.SandboxSpec;
import io.sandboxspi.core.session.EngineOptions;
import io.sandboxspi.core.session.EngineSession;
import io.sandboxspi.fake.e2b.E2bFake;
import io.sandboxspi.fake.e2b.FakeSandbox;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A fake and sessions on it. */
final class E2bFixture implements AutoCloseable {
  final E2bFake fake = new E2bFake();

  E2bProvider provider() {
    return E2bProvider.with(fake.settings());
  }

  E2bProvider provider(String name, String value) {
    Map<String, String> settings = new HashMap<>(fake.settings());
    settings.put(name, value);
    return E2bProvider.with(settings);
  }

  SandboxSession open(Map<String, String> options) throws InterruptedException {
    return open(provider(), options);
  }

  static SandboxSession open(E2bProvider provider, Map<String, String> options)
      throws InterruptedException {
    SandboxSpec.Builder spec = SandboxSpec.builder();
    options.forEach(spec::option);
    return EngineSession.open(provider, spec.build(), EngineOptions.defaults());
  }

  FakeSandbox sandbox(SandboxSession session) {
    return fake.sandbox(session.backend().data().get("sandbox")).orElseThrow();
  }

  static String output(SandboxSession session, String text) throws InterruptedException {
    return session.exec(Command.shell(text).timeout(Duration.ofSeconds(60))).stdout().text();
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
