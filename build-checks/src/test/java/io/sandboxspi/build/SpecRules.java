package io.sandboxspi.build;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * The rules that a specification lists: the first cell of a table row is a rule id, the second the
 * tags that say where it is tested.
 */
final class SpecRules {
  static final Pattern ID = Pattern.compile("S(-[A-Z0-9]+)+-[0-9]+[a-z]?");

  private final Map<String, Set<String>> tags = new LinkedHashMap<>();
  private final List<String> problems = new ArrayList<>();

  private SpecRules() {}

  static SpecRules parse(String markdown, Set<String> knownTags) {
    SpecRules rules = new SpecRules();
    markdown.lines().forEach(line -> rules.addRow(line, knownTags));
    return rules;
  }

  /** Rule ids in their order, each with its tags. */
  Map<String, Set<String>> tags() {
    return tags;
  }

  /** Rows that break the form: an id twice, no tag, an unknown tag. */
  List<String> problems() {
    return problems;
  }

  private void addRow(String line, Set<String> knownTags) {
    String[] cells = line.strip().split("(?<!\\\\)\\|", -1);
    if (!line.strip().startsWith("|") || cells.length < 3) {
      return;
    }
    String id = plain(cells[1]);
    if (!ID.matcher(id).matches()) {
      return;
    }
    Set<String> found = new TreeSet<>();
    for (String tag : plain(cells[2]).split("[,\\s]+")) {
      if (knownTags.contains(tag)) {
        found.add(tag);
      } else if (!tag.isEmpty()) {
        problems.add(id + " has the unknown tag " + tag + "; known are " + knownTags);
      }
    }
    if (found.isEmpty()) {
      problems.add(id + " has no tag that says where it is tested");
    }
    if (tags.put(id, found) != null) {
      problems.add(id + " is listed twice");
    }
  }

  private static String plain(String cell) {
    return cell.replaceAll("[`*]", "").strip();
  }
}
