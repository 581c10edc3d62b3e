package io.sandboxspi.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.DoubleNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.StreamSupport;

/** The results of one version of Java, read back from their files. */
final class Measured {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Map<String, JsonNode> experiments = new HashMap<>();

  Measured(Path results, int java) throws IOException {
    try (var files = Files.newDirectoryStream(results, "*-java" + java + ".json")) {
      for (Path file : files) {
        JsonNode root = JSON.readTree(file.toFile());
        experiments.put(root.get("experiment").asText(), root);
      }
    }
  }

  boolean isEmpty() {
    return experiments.isEmpty();
  }

  /** Any file's environment. */
  JsonNode environment() {
    return experiments.values().iterator().next().get("environment");
  }

  /** Range of the load before the passes. */
  String loads() {
    double[] loads =
        experiments.values().stream()
            .flatMap(root -> StreamSupport.stream(root.get("passes").spliterator(), false))
            .mapToDouble(pass -> pass.path("load").asDouble())
            .sorted()
            .toArray();
    return String.format("%.1f to %.1f", loads[0], loads[loads.length - 1]);
  }

  /** One statistic of a series in each pass that has it. */
  List<Double> each(String experiment, String series, String statistic) {
    JsonNode root = experiments.get(experiment);
    if (root == null) {
      return List.of();
    }
    return StreamSupport.stream(root.get("passes").spliterator(), false)
        .map(pass -> statistic(pass.path("series").path(series), statistic))
        .filter(JsonNode::isNumber)
        .map(JsonNode::asDouble)
        .toList();
  }

  /** Written, or found in the samples. */
  private static JsonNode statistic(JsonNode series, String name) {
    JsonNode samples = series.path("samples");
    if (series.has(name) || samples.size() < 10) {
      return series.path(name);
    }
    long[] values =
        StreamSupport.stream(samples.spliterator(), false).mapToLong(JsonNode::asLong).toArray();
    return DoubleNode.valueOf(
        Stats.percentile(values, Integer.parseInt(name.substring(1)) / 100.0));
  }

  /** The smallest over the passes. */
  OptionalDouble best(String experiment, String series, String statistic) {
    return each(experiment, series, statistic).stream().mapToDouble(d -> d).min();
  }

  /** The largest over the passes. */
  OptionalDouble largest(String experiment, String series, String statistic) {
    return each(experiment, series, statistic).stream().mapToDouble(d -> d).max();
  }

  /** Quotients pass by pass. */
  List<Double> ratios(String experiment, String above, String below, String statistic) {
    List<Double> a = each(experiment, above, statistic);
    List<Double> b = each(experiment, below, statistic);
    int n = Math.min(a.size(), b.size());
    return java.util.stream.IntStream.range(0, n).mapToObj(i -> a.get(i) / b.get(i)).toList();
  }
}
