package io.sandboxspi.fake.e2b;

import io.sandboxspi.fake.FakeVendor;

/** Starts {@link E2bFake}. */
public final class E2bFakeVendor implements FakeVendor {
  /** Starts nothing. */
  public E2bFakeVendor() {}

  @Override
  public String provider() {
    return "e2b";
  }

  @Override
  public Service start() {
    return new E2bFake();
  }
}
