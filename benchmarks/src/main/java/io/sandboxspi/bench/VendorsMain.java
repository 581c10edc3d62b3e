package io.sandboxspi.bench;

import io.sandboxspi.bench.remote.Vendor;
import io.sandboxspi.bench.remote.VendorRun;

/**
 * The main of the measurements of Blaxel, Cloudflare and Modal, see {@link Asked}; their clients
 * are below the target.
 */
public final class VendorsMain {
  private VendorsMain() {}

  /** Runs. */
  public static void main(String[] args) throws Exception {
    Asked asked = Asked.of(args);
    asked.each(
        Vendor.values(),
        VendorsReport.PREFIX,
        (vendor, pass) -> {
          try (VendorRun run = new VendorRun(vendor, asked.target().resolve("js"), asked.quick())) {
            run.run(pass);
          }
        });
    VendorsReport.write(asked.results());
    System.exit(0);
  }
}
