package io.sandboxspi.remote.daytona;

import io.sandboxspi.SandboxSession;
import io.sandboxspi.fake.daytona.DaytonaFake;
import io.sandboxspi.fake.daytona.FakeSandbox;
import io.sandboxspi.fake.support.VendorFixture;

/** A fake and sessions on it. */
final class DaytonaFixture extends VendorFixture<DaytonaFake, DaytonaProvider> {
  final DaytonaFake fake = fake();

  DaytonaFixture() {
    super(new DaytonaFake(), DaytonaProvider::with);
  }

  FakeSandbox sandbox(SandboxSession session) {
    return fake.sandbox(session.backend().data().get("sandbox")).orElseThrow();
  }
}
