package io.sandboxspi.fake.cloudflare;

import io.sandboxspi.fake.FakeVendor;

/** Starts {@link CloudflareFake}. */
public final class CloudflareFakeVendor implements FakeVendor {
  /** Starts nothing. */
  public CloudflareFakeVendor() {}

  @Override
  public String provider() {
    return "cloudflare";
  }

  @Override
  public Service start() {
    return new CloudflareFake();
  }
}
