package io.sandboxspi.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A {@code console} block of a document: commands after {@code "$ "}, each with the output that
 * follows it. {@code …} in the output stands for any text, alone on a line for any lines.
 *
 * @param place the document and the number of the block's first line
 */
record ConsoleExample(String place, List<Step> steps) {
  private static final String PROMPT = "$ ";
  private static final String ANYTHING = "…";

  /** A command and its output. */
  record Step(String command, List<String> output) {
    boolean matches(List<String> seen) {
      String pattern =
          output.stream()
              .map(line -> line.equals(ANYTHING) ? "(?:.*\n)*?" : line(line) + "\n")
              .collect(Collectors.joining());
      String text = seen.stream().map(line -> line + "\n").collect(Collectors.joining());
      return Pattern.matches(pattern, text);
    }

    private static String line(String line) {
      List<String> parts = List.of(line.split(ANYTHING, -1));
      return parts.stream().map(Pattern::quote).collect(Collectors.joining(".*"));
    }
  }

  /** The blocks of a document. */
  static List<ConsoleExample> of(Path document) throws IOException {
    List<ConsoleExample> examples = new ArrayList<>();
    List<Step> steps = new ArrayList<>();
    boolean inside = false;
    int number = 0;
    for (String line : Files.readAllLines(document)) {
      number++;
      if (!inside && line.equals("```console")) {
        inside = true;
        steps = new ArrayList<>();
        examples.add(new ConsoleExample(document.getFileName() + ":" + number, steps));
      } else if (inside && line.equals("```")) {
        inside = false;
      } else if (inside && line.startsWith(PROMPT)) {
        steps.add(new Step(line.substring(PROMPT.length()), new ArrayList<>()));
      } else if (inside) {
        steps.get(steps.size() - 1).output().add(line);
      }
    }
    return examples;
  }

  boolean needsDocker() {
    return steps.stream().anyMatch(step -> step.command().contains("--provider docker"));
  }

  @Override
  public String toString() {
    return place;
  }
}
