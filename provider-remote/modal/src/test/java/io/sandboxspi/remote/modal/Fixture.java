package io.sandboxspi.remote.modal;

import io.sandboxspi.SandboxSession;
import io.sandboxspi.fake.modal.FakeSandbox;
import io.sandboxspi.fake.modal.ModalFake;
import io.sandboxspi.fake.support.VendorFixture;

/** A fake and sessions on it. */
final class Fixture extends VendorFixture<ModalFake, ModalProvider> {
  Fixture() {
    this(new ModalFake());
  }

  Fixture(ModalFake fake) {
    super(fake, ModalProvider::with);
  }

  FakeSandbox sandbox(SandboxSession session) {
    return fake().sandbox(session.backend().data().get("sandbox")).orElseThrow();
  }
}
