package io.sandboxspi.remote.e2b;

import io.sandboxspi.SandboxSession;
import io.sandboxspi.fake.e2b.E2bFake;
import io.sandboxspi.fake.e2b.FakeSandbox;
import io.sandboxspi.fake.support.VendorFixture;

/** A fake and sessions on it. */
final class E2bFixture extends VendorFixture<E2bFake, E2bProvider> {
  final E2bFake fake = fake();

  E2bFixture() {
    super(new E2bFake(), E2bProvider::with);
  }

  FakeSandbox sandbox(SandboxSession session) {
    return fake.sandbox(session.backend().data().get("sandbox")).orElseThrow();
  }
}
