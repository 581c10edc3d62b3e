package io.sandboxspi.bench;

import io.sandboxspi.bench.remote.Vendor;
import io.sandboxspi.bench.remote.VendorRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The main of the measurements of Blaxel, Cloudflare and Modal. {@code TARGET RESULTS [--quick]
 * [--report] [VENDOR...]} as {@link RemoteMain}.
 */
public final class VendorsMain {
  private VendorsMain() {}

  /** Runs. */
  public static void main(String[] args) throws Exception {
    Path target = Path.of(args[0]);
    List<String> rest = new ArrayList<>(List.of(args).subList(2, args.length));
    boolean quick = rest.remove("--quick");
    boolean measure = !rest.remove("--report");
    Path results = quick ? target.resolve("quick-results") : Path.of(args[1]);
    Files.createDirectories(results);
    for (Vendor vendor : Vendor.values()) {
      String name = vendor.name().toLowerCase(Locale.ROOT);
      if (measure && (rest.isEmpty() || rest.contains(name))) {
        try (VendorRun run = new VendorRun(vendor, target.resolve("js"), quick)) {
          OneRun.measure(VendorsReport.PREFIX + name, results, run::run);
        }
      }
    }
    VendorsReport.write(results);
    System.exit(0);
  }
}
