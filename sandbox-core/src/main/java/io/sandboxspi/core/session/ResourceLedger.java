package io.sandboxspi.core.session;

import java.util.List;
import java.util.function.Supplier;

/** What a session owns at this moment; empty when nothing is left. Thread-safe. */
public final class ResourceLedger {
  private final Supplier<List<Resource>> source;

  ResourceLedger(Supplier<List<Resource>> source) {
    this.source = source;
  }

  /**
   * Something owned.
   *
   * @param kind {@code PROCESS} for one that may live, {@code PTY_ID} for a reserved id
   * @param id the launch id or the PTY id
   * @param detail its state
   */
  public record Resource(String kind, String id, String detail) {}

  /** Everything owned now. */
  public List<Resource> open() {
    return source.get();
  }
}
