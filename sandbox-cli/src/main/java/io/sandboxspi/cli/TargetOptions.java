package io.sandboxspi.cli;

import io.sandboxspi.SandboxSpec;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Option;

/** Which sandbox a command opens. */
final class TargetOptions {
  @Option(
      names = "--provider",
      paramLabel = "NAME",
      defaultValue = "local",
      description = "Provider of the sandbox (default: ${DEFAULT-VALUE}).")
  private String provider = "local";

  @Option(
      names = "--option",
      paramLabel = "NAME=VALUE",
      description = "Option of the provider; repeatable.")
  private Map<String, String> options = new LinkedHashMap<>();

  String provider() {
    return provider;
  }

  SandboxSpec spec() {
    SandboxSpec.Builder spec = SandboxSpec.builder();
    options.forEach(spec::option);
    return spec.build();
  }
}
