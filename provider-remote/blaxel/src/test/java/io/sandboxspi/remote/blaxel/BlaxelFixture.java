package io.sandboxspi.remote.blaxel;

import io.sandboxspi.SandboxSession;
import io.sandboxspi.fake.blaxel.BlaxelFake;
import io.sandboxspi.fake.blaxel.FakeSandbox;
import io.sandboxspi.fake.support.VendorFixture;

/** A fake and sessions on it. */
final class BlaxelFixture extends VendorFixture<BlaxelFake, BlaxelProvider> {
  final BlaxelFake fake = fake();

  BlaxelFixture() {
    super(new BlaxelFake(), BlaxelProvider::with);
  }

  FakeSandbox sandbox(SandboxSession session) {
    return sandbox(session.backend().data().get("sandbox"));
  }

  FakeSandbox sandbox(String name) {
    return fake.sandbox(name).orElseThrow();
  }
}
