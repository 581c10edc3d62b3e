package io.sandboxspi.bench.remote;

import io.sandboxspi.fake.FakeVendor;
import io.sandboxspi.fake.blaxel.BlaxelFake;
import io.sandboxspi.fake.cloudflare.CloudflareFake;
import io.sandboxspi.fake.modal.ModalFake;
import io.sandboxspi.remote.blaxel.BlaxelProvider;
import io.sandboxspi.remote.cloudflare.CloudflareProvider;
import io.sandboxspi.remote.modal.ModalProvider;
import io.sandboxspi.spi.SandboxProvider;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** Vendors that are measured by the same experiments. */
public enum Vendor {
  /** Its client makes, runs and removes; it has no terminals. */
  BLAXEL(true, false) {
    @Override
    Running start(Duration oneWay) throws IOException {
      BlaxelFake fake = new BlaxelFake();
      Map<String, String> settings = new HashMap<>(fake.settings());
      if (!oneWay.isZero()) {
        URI link = new DelayLink(fake.uri(), oneWay).uri();
        settings.put("BL_API_URL", link + "/v0");
        settings.put("BL_SANDBOX_URL", link + "/sbx/{name}");
      }
      return new Running(fake, settings);
    }

    @Override
    SandboxProvider provider(Map<String, String> settings) {
      return BlaxelProvider.with(settings);
    }
  },
  /** The bridge has no client. */
  CLOUDFLARE(false, false) {
    @Override
    Running start(Duration oneWay) throws IOException {
      CloudflareFake fake = new CloudflareFake();
      Map<String, String> settings = new HashMap<>(fake.settings());
      if (!oneWay.isZero()) {
        URI link = new DelayLink(fake.uri(), oneWay).uri();
        settings.put("CLOUDFLARE_SANDBOX_WORKER_URL", link.toString());
      }
      return new Running(fake, settings);
    }

    @Override
    SandboxProvider provider(Map<String, String> settings) {
      return CloudflareProvider.with(settings);
    }
  },
  /** Its client does everything. */
  MODAL(true, true) {
    @Override
    Running start(Duration oneWay) throws IOException {
      ModalFake fake = new ModalFake();
      Map<String, String> settings = new HashMap<>(fake.settings());
      if (!oneWay.isZero()) {
        URI link = new DelayLink(URI.create(settings.get("MODAL_SERVER_URL")), oneWay).uri();
        fake.reachedAt(link.getAuthority());
        settings.put("MODAL_SERVER_URL", link.toString());
      }
      return new Running(fake, settings);
    }

    @Override
    SandboxProvider provider(Map<String, String> settings) {
      return ModalProvider.with(settings);
    }
  };

  private final boolean client;
  private final boolean terminals;

  Vendor(boolean client, boolean terminals) {
    this.client = client;
    this.terminals = terminals;
  }

  /** Whether it has a client of its own. */
  boolean hasClient() {
    return client;
  }

  /** Whether that has terminals. */
  boolean hasTerminals() {
    return terminals;
  }

  /**
   * A fake that runs.
   *
   * @param settings by which it is reached
   */
  record Running(FakeVendor.Service fake, Map<String, String> settings) {}

  /**
   * Starts a fake.
   *
   * @param oneWay how long each byte is on its way to it and back; zero for no link in between
   */
  abstract Running start(Duration oneWay) throws IOException;

  abstract SandboxProvider provider(Map<String, String> settings);
}
