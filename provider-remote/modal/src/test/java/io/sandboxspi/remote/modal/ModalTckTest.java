package io.sandboxspi.remote.modal;

import io.sandboxspi.fake.modal.ModalFake;
import io.sandboxspi.tck.SandboxProviderTck;
import io.sandboxspi.tck.TckEnvironment;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The kit through the fake; with {@code -Dmodal.real} and a token against the service. */
@Execution(ExecutionMode.CONCURRENT)
class ModalTckTest extends SandboxProviderTck {
  private static ModalFake fake;
  private static ModalProvider provider;

  @BeforeAll
  static void start() {
    if (System.getProperty("modal.real") != null) {
      provider = new ModalProvider();
    } else {
      fake = new ModalFake();
      provider = ModalProvider.with(fake.settings());
    }
  }

  @AfterAll
  static void stop() {
    if (fake != null) {
      fake.close();
    }
  }

  @Override
  protected TckEnvironment environment() {
    return TckEnvironment.of(provider).far();
  }
}
