package io.sandboxspi.remote.cloudflare;

import io.sandboxspi.SandboxSession;
import io.sandboxspi.fake.cloudflare.CloudflareFake;
import io.sandboxspi.fake.cloudflare.Container;
import io.sandboxspi.fake.support.VendorFixture;

/** A fake bridge, providers that talk to it, and sessions on both. */
final class CloudflareFixture extends VendorFixture<CloudflareFake, CloudflareProvider> {
  CloudflareFixture() {
    super(new CloudflareFake(), CloudflareProvider::with);
  }

  static String id(SandboxSession session) {
    return session.backend().data().get("sandbox");
  }

  Container container(SandboxSession session) {
    return fake().running(id(session)).orElseThrow();
  }
}
