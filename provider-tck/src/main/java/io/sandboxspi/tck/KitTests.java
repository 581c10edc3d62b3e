package io.sandboxspi.tck;

import io.sandboxspi.tck.kit.TckKit;
import io.sandboxspi.tck.rules.KitAccess;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** What the whole kit and its parts have in common: each test has a kit for an environment. */
@ExtendWith(KitExtension.class)
@DisplayNameGeneration(RuleNames.class)
@Timeout(150)
public abstract class KitTests implements KitAccess {
  private @Nullable TckKit kit;

  KitTests() {}

  /** What to run against; called once for each test. */
  protected abstract TckEnvironment environment();

  @Override
  public final TckKit kit() {
    if (kit == null) {
      throw new IllegalStateException("the kit exists during a test only");
    }
    return kit;
  }

  void kit(TckKit value) {
    kit = value;
  }
}
