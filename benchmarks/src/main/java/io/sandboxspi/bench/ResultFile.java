package io.sandboxspi.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Writes the passes of one experiment as JSON. */
final class ResultFile {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int ALL_SAMPLES = 300;

  private ResultFile() {}

  static void write(
      Path file,
      String experiment,
      Map<String, Object> machine,
      List<Double> loads,
      List<Pass> passes)
      throws IOException {
    ObjectNode root = JSON.createObjectNode();
    root.put("experiment", experiment);
    root.put("unit", "ns unless the series says otherwise");
    root.set("environment", JSON.valueToTree(machine));
    ArrayNode all = root.putArray("passes");
    for (int i = 0; i < passes.size(); i++) {
      ObjectNode pass = all.addObject();
      pass.put("load", loads.get(i));
      ObjectNode series = pass.putObject("series");
      passes.get(i).series().forEach((name, values) -> series.set(name, series(values)));
      if (!passes.get(i).skipped().isEmpty()) {
        pass.set("left-out", JSON.valueToTree(passes.get(i).skipped()));
      }
    }
    Files.writeString(file, text(root));
  }

  /** A line a series, so that a change can be read. */
  private static String text(ObjectNode root) throws IOException {
    String pretty = JSON.writerWithDefaultPrettyPrinter().writeValueAsString(root);
    return pretty.replaceAll("(?<=\\d,)\\s+(?=\\d)", " ") + "\n";
  }

  private static JsonNode series(List<Long> values) {
    long[] numbers = values.stream().mapToLong(Long::longValue).toArray();
    ObjectNode node = JSON.createObjectNode();
    node.put("count", numbers.length);
    node.put("p10", Stats.percentile(numbers, 0.1));
    node.put("p50", Stats.median(numbers));
    node.put("p90", Stats.percentile(numbers, 0.9));
    node.put("p99", Stats.percentile(numbers, 0.99));
    node.put("max", Stats.percentile(numbers, 1));
    if (numbers.length <= ALL_SAMPLES) {
      ArrayNode samples = node.putArray("samples");
      values.forEach(samples::add);
    }
    return node;
  }
}
