package io.sandboxspi.remote.modal;

import io.sandboxspi.Command;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.SandboxSpec;
import io.sandboxspi.core.session.EngineOptions;
import io.sandboxspi.core.session.EngineSession;
import io.sandboxspi.fake.modal.ModalFake;
import io.sandboxspi.fake.modal.FakeSandbox;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A fake and sessions on it. */
final class Fixture implements AutoCloseable {
  final ModalFake fake = new ModalFake();

  ModalProvider provider() {
    return ModalProvider.with(fake.settings());
  }

  ModalProvider provider(String name, String value) {
    Map<String, String> settings = new HashMap<>(fake.settings());
    settings.put(name, value);
    return ModalProvider.with(settings);
  }

  SandboxSession open(Map<String, String> options) throws InterruptedException {
    return open(provider(), options);
  }

  static SandboxSession open(ModalProvider provider, Map<String, String> options)
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
