package io.sandboxspi.fake.modal;

import io.sandboxspi.fake.FakeVendor;

/** Starts {@link ModalFake}. */
public final class ModalFakeVendor implements FakeVendor {
  /** Starts nothing. */
  public ModalFakeVendor() {}

  @Override
  public String provider() {
    return "modal";
  }

  @Override
  public Service start() {
    return new ModalFake();
  }
}
