package io.sandboxspi.build;

import java.util.ArrayList;
import java.util.List;

/** The lines that two texts do not share, {@code -} for the first and {@code +} for the second. */
final class LineDiff {
  private LineDiff() {}

  static List<String> between(String before, String after) {
    List<String> old = before.lines().toList();
    List<String> now = after.lines().toList();
    int[][] common = commonTails(old, now);
    List<String> diff = new ArrayList<>();
    int i = 0;
    int j = 0;
    while (i < old.size() || j < now.size()) {
      if (i < old.size() && j < now.size() && old.get(i).equals(now.get(j))) {
        i++;
        j++;
      } else if (j == now.size() || (i < old.size() && common[i + 1][j] >= common[i][j + 1])) {
        diff.add("- " + old.get(i++));
      } else {
        diff.add("+ " + now.get(j++));
      }
    }
    return diff;
  }

  private static int[][] commonTails(List<String> old, List<String> now) {
    int[][] common = new int[old.size() + 1][now.size() + 1];
    for (int i = old.size() - 1; i >= 0; i--) {
      for (int j = now.size() - 1; j >= 0; j--) {
        common[i][j] =
            old.get(i).equals(now.get(j))
                ? common[i + 1][j + 1] + 1
                : Math.max(common[i + 1][j], common[i][j + 1]);
      }
    }
    return common;
  }
}
