package io.sandboxspi.tck;

import io.sandboxspi.tck.plain.PlainProvider;

/** The kit against an honest provider: nothing fails. */
class PlainProviderTckTest extends SandboxProviderTck {
  @Override
  protected TckEnvironment environment() {
    return TckEnvironment.of(new PlainProvider());
  }
}
