package io.sandboxspi.fake.blaxel;

import io.sandboxspi.fake.FakeVendor;

/** Starts {@link BlaxelFake}. */
public final class BlaxelFakeVendor implements FakeVendor {
  /** Starts nothing. */
  public BlaxelFakeVendor() {}

  @Override
  public String provider() {
    return "blaxel";
  }

  @Override
  public Service start() {
    return new BlaxelFake();
  }
}
