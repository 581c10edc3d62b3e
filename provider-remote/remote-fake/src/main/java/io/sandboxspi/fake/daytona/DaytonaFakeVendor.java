package io.sandboxspi.fake.daytona;

import io.sandboxspi.fake.FakeVendor;

/** Starts {@link DaytonaFake}. */
public final class DaytonaFakeVendor implements FakeVendor {
  /** Starts nothing. */
  public DaytonaFakeVendor() {}

  @Override
  public String provider() {
    return "daytona";
  }

  @Override
  public Service start() {
    return new DaytonaFake();
  }
}
