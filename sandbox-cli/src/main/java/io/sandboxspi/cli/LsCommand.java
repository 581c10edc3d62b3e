package io.sandboxspi.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import io.sandboxspi.Checkpoint;
import io.sandboxspi.Snapshot;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** {@code sandbox ls}: the sandboxes that have names (spec S-CLI-07). */
final class LsCommand extends NamedCommand {
  private static final String ROW = "%-24s %-12s %-10s %-14s %s%n";

  LsCommand(Engine engine) {
    super(engine, "ls", "Lists the sandboxes that have names.");
    flag("--json", "Writes JSON.");
  }

  @Override
  public Integer call() throws IOException {
    List<NamedSandbox> all = new ArrayList<>();
    for (String name : sandboxes().names()) {
      sandboxes().find(name).ifPresent(all::add);
    }
    if (has("--json")) {
      writeJson(all);
    } else {
      out().printf(ROW, "NAME", "PROVIDER", "STATE", "SNAPSHOT", "CREATED");
      for (NamedSandbox each : all) {
        String state = each.state().name().toLowerCase(Locale.ROOT);
        out().printf(ROW, each.name(), each.provider(), state, snapshot(each), each.created());
      }
    }
    out().flush();
    return ExitCodes.OK;
  }

  private static String snapshot(NamedSandbox sandbox) {
    Optional<Snapshot> newest = sandbox.where().flatMap(Checkpoint::snapshot);
    return sandbox.store() + newest.map(snapshot -> " " + snapshot.sequence()).orElse("");
  }

  private void writeJson(List<NamedSandbox> all) throws IOException {
    try (JsonGenerator json =
        new JsonFactory()
            .createGenerator(out())
            .disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET)
            .setPrettyPrinter(new DefaultPrettyPrinter())) {
      json.writeStartArray();
      for (NamedSandbox each : all) {
        json.writeStartObject();
        json.writeStringField("name", each.name());
        json.writeStringField("provider", each.provider());
        json.writeStringField("state", each.state().name().toLowerCase(Locale.ROOT));
        json.writeStringField("store", each.store());
        Optional<Snapshot> newest = each.where().flatMap(Checkpoint::snapshot);
        if (newest.isPresent()) {
          json.writeNumberField("snapshot", newest.get().sequence());
        }
        json.writeStringField("created", each.created().toString());
        json.writeEndObject();
      }
      json.writeEndArray();
    }
    out().println();
  }
}
