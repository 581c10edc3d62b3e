package io.sandboxspi.docker;

import com.github.dockerjava.api.model.PullResponseItem;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Tells how a pull goes on: each step of a layer once, and its bytes in tenths, as the engine says
 * it many times a second. Not thread-safe.
 */
final class PullProgress {
  private static final int PARTS = 10;
  private static final int LONGEST = 200;

  private final String image;
  private final Consumer<String> told;
  private final Map<String, String> last = new HashMap<>();

  PullProgress(String image, Consumer<String> told) {
    this.image = image;
    this.told = told;
  }

  void tell(PullResponseItem item) {
    String status = item.getStatus();
    if (status == null || status.isBlank()) {
      return;
    }
    String layer = item.getId() == null ? "" : item.getId() + ": ";
    String sentence = layer + status + tenths(item);
    if (!sentence.equals(last.put(layer, sentence))) {
      String whole = "pulling " + image + ": " + sentence;
      told.accept(whole.length() <= LONGEST ? whole : whole.substring(0, LONGEST));
    }
  }

  private static String tenths(PullResponseItem item) {
    var detail = item.getProgressDetail();
    if (detail == null || detail.getCurrent() == null || detail.getTotal() == null) {
      return "";
    }
    long total = detail.getTotal();
    return total <= 0 ? "" : ", " + detail.getCurrent() * PARTS / total * PARTS + " %";
  }
}
