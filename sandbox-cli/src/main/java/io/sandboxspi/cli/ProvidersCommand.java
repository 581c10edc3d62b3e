package io.sandboxspi.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import io.sandboxspi.Capability;
import io.sandboxspi.core.ProviderInfo;
import io.sandboxspi.spi.Availability;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.stream.Collectors;

/** {@code sandbox providers}: what can be opened here, and what not and why (spec S-CLI-06). */
final class ProvidersCommand extends CliCommand {
  private final Engine engine;

  ProvidersCommand(Engine engine) {
    super("providers", "Lists the providers, broken ones too, and why.");
    this.engine = engine;
    flag("--json", "Writes JSON.");
  }

  @Override
  public Integer call() throws IOException {
    if (has("--json")) {
      writeJson(engine.providers(), out());
    } else {
      engine.providers().forEach(provider -> writeText(provider, out()));
    }
    out().flush();
    return ExitCodes.OK;
  }

  private static void writeText(ProviderInfo provider, PrintWriter out) {
    out.println(provider.name() + ": " + state(provider.availability()));
    out.println("  " + provider.implementation());
    if (!provider.capabilities().isEmpty()) {
      out.println(
          "  "
              + provider.capabilities().stream()
                  .sorted()
                  .map(Capability::name)
                  .collect(Collectors.joining(" ")));
    }
  }

  private static String state(Availability availability) {
    return availability instanceof Availability.Unavailable broken
        ? "unavailable, " + broken.reason()
        : "available";
  }

  private static void writeJson(List<ProviderInfo> providers, PrintWriter out) throws IOException {
    try (JsonGenerator json =
        new JsonFactory()
            .createGenerator(out)
            .disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET)
            .setPrettyPrinter(new DefaultPrettyPrinter())) {
      json.writeStartArray();
      for (ProviderInfo provider : providers) {
        json.writeStartObject();
        json.writeStringField("name", provider.name());
        json.writeStringField("implementation", provider.implementation());
        json.writeBooleanField(
            "available", !(provider.availability() instanceof Availability.Unavailable));
        if (provider.availability() instanceof Availability.Unavailable broken) {
          json.writeStringField("reason", broken.reason());
        }
        json.writeArrayFieldStart("capabilities");
        for (Capability capability : provider.capabilities().stream().sorted().toList()) {
          json.writeString(capability.name());
        }
        json.writeEndArray();
        json.writeEndObject();
      }
      json.writeEndArray();
    }
    out.println();
  }
}
