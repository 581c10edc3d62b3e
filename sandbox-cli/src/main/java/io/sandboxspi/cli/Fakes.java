package io.sandboxspi.cli;

import io.sandboxspi.fake.FakeVendor;
import io.sandboxspi.spi.SandboxProvider;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Fakes of vendors, by the names of their providers. */
final class Fakes {
  private Fakes() {}

  static FakeVendor.Service start(String provider) {
    TreeMap<String, FakeVendor> known = new TreeMap<>();
    ServiceLoader.load(FakeVendor.class).forEach(fake -> known.put(fake.provider(), fake));
    known
        .keySet()
        .retainAll(
            ServiceLoader.load(SandboxProvider.class).stream()
                .map(each -> each.get().name())
                .collect(Collectors.toSet()));
    FakeVendor fake = known.get(provider);
    if (fake == null) {
      throw CliFailure.usage(
          "Invalid value for option '--provider': '"
              + provider
              + "' has no fake; allowed with --fake: "
              + String.join(", ", known.keySet()));
    }
    return fake.start();
  }
}
