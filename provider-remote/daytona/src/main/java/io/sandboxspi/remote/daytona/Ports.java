package io.sandboxspi.remote.daytona;

import io.sandboxspi.SandboxException;
import io.sandboxspi.remote.transport.OptionReader;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Ports that are reached from outside; the sandbox's labels keep them.
 *
 * @param numbers of them
 * @param life how long an address with a token of its own lasts; empty for the sandbox's token
 */
record Ports(Set<Integer> numbers, Optional<Duration> life) {
  /** The option's name. */
  static final String LIFE = "link-life";

  private static final String PORTS = "ports";
  private static final Set<Integer> RESERVED = Set.of(2280, 22_220, 22_222, 33_333);
  private static final int DAY = 86_400;

  Ports {
    numbers = Set.copyOf(numbers);
  }

  static Ports read(OptionReader options) {
    return new Ports(options.ports(PORTS, 1, RESERVED), options.optionalSeconds(LIFE, 1, DAY));
  }

  /** As {@link #of} reads them. */
  void mark(Map<String, String> labels) {
    if (!numbers.isEmpty()) {
      labels.put(Labels.PORTS, OptionReader.text(numbers));
    }
    life.ifPresent(time -> labels.put(Labels.LINK_LIFE, String.valueOf(time.toSeconds())));
  }

  /** Those of a sandbox; none where somebody else has changed its labels. */
  static Ports of(Map<String, String> labels) {
    try {
      return read(
          new OptionReader(
              DaytonaProvider.NAME,
              Map.of(
                  PORTS,
                  labels.getOrDefault(Labels.PORTS, ""),
                  LIFE,
                  labels.getOrDefault(Labels.LINK_LIFE, ""))));
    } catch (SandboxException changed) {
      return new Ports(Set.of(), Optional.empty());
    }
  }
}
