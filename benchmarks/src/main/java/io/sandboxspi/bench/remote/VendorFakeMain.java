package io.sandboxspi.bench.remote;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Two fakes of the named vendor in a JVM of their own: says how they are reached, the second over a
 * link that takes 50 ms there and back, then runs until its input ends.
 */
public final class VendorFakeMain {
  private static final Duration ONE_WAY = Duration.ofMillis(25);

  private VendorFakeMain() {}

  /** Runs. */
  public static void main(String[] args) throws IOException {
    Vendor vendor = Vendor.valueOf(args[0]);
    List<Vendor.Running> both = List.of(vendor.start(Duration.ZERO), vendor.start(ONE_WAY));
    both.forEach(each -> System.out.println(line(each.settings())));
    while (System.in.read() >= 0) {
      continue;
    }
    both.forEach(each -> each.fake().close());
    System.exit(0);
  }

  private static String line(Map<String, String> settings) {
    return settings.entrySet().stream()
        .map(entry -> entry.getKey() + "=" + entry.getValue())
        .collect(Collectors.joining("\t"));
  }
}
