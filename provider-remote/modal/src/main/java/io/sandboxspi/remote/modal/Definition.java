package io.sandboxspi.remote.modal;

import io.sandboxspi.remote.modal.wire.GPUConfig;
import io.sandboxspi.remote.modal.wire.NetworkAccess;
import io.sandboxspi.remote.modal.wire.NetworkAccess.NetworkAccessType;
import io.sandboxspi.remote.modal.wire.PortSpec;
import io.sandboxspi.remote.modal.wire.PortSpecs;
import io.sandboxspi.remote.modal.wire.Resources;
import io.sandboxspi.remote.modal.wire.Sandbox;
import io.sandboxspi.remote.modal.wire.SchedulerPlacement;
import java.util.List;
import java.util.Locale;

/** What a sandbox is made of, in the vendor's words. */
final class Definition {
  private Definition() {}

  static Sandbox of(ModalOptions options, String image) {
    Sandbox.Builder sandbox =
        Sandbox.newBuilder()
            // Saves a layer on the image that does nothing but this.
            .addAllEntrypointArgs(List.of("sleep", "infinity"))
            .setImageId(image)
            .addAllSecretIds(options.secrets())
            .setResources(resources(options.size()))
            .setTimeoutSecs((int) options.timeout().toSeconds())
            .setNetworkAccess(network(options.network()))
            .setCloudProviderStr(options.cloud().orElse(""));
    options.idleTimeout().ifPresent(time -> sandbox.setIdleTimeoutSecs((int) time.toSeconds()));
    options.name().ifPresent(sandbox::setName);
    options
        .region()
        .ifPresent(
            region ->
                sandbox.setSchedulerPlacement(SchedulerPlacement.newBuilder().addRegions(region)));
    if (!options.ports().isEmpty()) {
      PortSpecs.Builder ports = PortSpecs.newBuilder();
      options.ports().stream()
          .sorted()
          .forEach(port -> ports.addPorts(PortSpec.newBuilder().setPort(port)));
      sandbox.setOpenPorts(ports);
    }
    return sandbox.build();
  }

  private static Resources resources(ModalOptions.Size size) {
    Resources.Builder resources =
        Resources.newBuilder()
            .setMilliCpu(size.milliCpu())
            .setMilliCpuMax(size.milliCpuMax())
            .setMemoryMb(size.memory())
            .setMemoryMbMax(size.memoryMax());
    GPUConfig.Builder gpu = GPUConfig.newBuilder();
    size.gpu()
        .ifPresent(
            text -> {
              String[] parts = text.split(":", 2);
              gpu.setGpuType(parts[0].toUpperCase(Locale.ROOT))
                  .setCount(parts.length > 1 ? Integer.parseInt(parts[1]) : 1);
            });
    return resources.setGpuConfig(gpu).build();
  }

  private static NetworkAccess network(ModalOptions.Network network) {
    boolean listed = !network.cidrs().isEmpty() || !network.domains().isEmpty();
    return NetworkAccess.newBuilder()
        .setNetworkAccessType(
            network.access() == ModalOptions.Access.BLOCKED
                ? NetworkAccessType.BLOCKED
                : listed ? NetworkAccessType.ALLOWLIST : NetworkAccessType.OPEN)
        .addAllAllowedCidrs(network.cidrs())
        .addAllAllowedDomains(network.domains())
        .build();
  }
}
