package io.sandboxspi.build;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Compares what a specification asks for with what tests carry. */
record SpecTrace(List<String> untested, List<String> wrong) {

  /**
   * @param tests what was found in the home of each tag
   */
  static SpecTrace of(SpecRules spec, Map<String, TestedRules> tests) {
    List<String> untested = new ArrayList<>();
    List<String> wrong = new ArrayList<>(spec.problems());
    spec.tags()
        .forEach(
            (id, tags) -> {
              for (String tag : tags) {
                if (!tests.get(tag).tests().containsKey(id)) {
                  untested.add(id + " has no test in " + tag);
                }
              }
            });
    tests.forEach(
        (tag, found) ->
            found
                .tests()
                .forEach(
                    (id, names) -> {
                      Set<String> tags = spec.tags().get(id);
                      if (tags == null) {
                        wrong.add(names + " in " + tag + " name the unknown rule " + id);
                      } else if (!tags.contains(tag)) {
                        wrong.add(names + ": " + id + " is not tagged " + tag);
                      }
                    }));
    return new SpecTrace(untested, wrong);
  }
}
