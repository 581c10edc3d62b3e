package io.sandboxspi.tck.kit;

import io.sandboxspi.SandboxException;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.tck.RuleViolation;
import io.sandboxspi.tck.fault.CallLog;
import io.sandboxspi.tck.fault.FaultPoint;
import io.sandboxspi.tck.fault.FaultyBackend;
import io.sandboxspi.tck.fault.FaultyProvider;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Evidence of life without the engine's help: a process appends to {@code hb-<tag>} every 100 ms.
 * Where the sandbox's processes are seen in this host's process table, that is asked too.
 */
final class Heartbeats {
  private static final Duration STILL = Duration.ofSeconds(1);

  /** A look asks the backend; half of the time between two beats. */
  private static final long LOOK_NANOS = 50_000_000;

  private final String run;
  private final FaultyProvider provider;
  private final CallLog log;
  private volatile boolean visible;

  Heartbeats(String run, FaultyProvider provider, CallLog log) {
    this.run = run;
    this.provider = provider;
    this.log = log;
  }

  static String script(String tag) {
    return "trap '' TERM INT HUP; while :; do echo x >> hb-" + tag + "; sleep 0.1; done";
  }

  void awaitAlive(String tag, Duration atMost) throws Exception {
    if (!becomesAlive(tag, atMost)) {
      throw new IllegalStateException("the heartbeat '" + tag + "' did not begin");
    }
  }

  boolean becomesAlive(String tag, Duration atMost) throws Exception {
    long before = size(tag);
    boolean grew = Await.until(atMost, LOOK_NANOS, () -> size(tag) > before);
    if (grew && !processes(tag).isEmpty()) {
      visible = true;
    }
    return grew;
  }

  /** Broken rule if one of the processes still lives after the time. */
  Optional<RuleViolation> survivor(String rule, List<String> tags, Duration atMost)
      throws Exception {
    Set<String> left = new LinkedHashSet<>(tags);
    boolean ended =
        Await.until(
            atMost,
            () -> {
              left.removeAll(visible ? unseen(left) : still(left));
              return left.isEmpty();
            });
    if (ended) {
      return Optional.empty();
    }
    String tag = left.iterator().next();
    boolean lie =
        log.last(FaultPoint.KILL_AFTER_BACKEND, tag)
            .map(call -> call.detail().equals("proven"))
            .orElse(false);
    return Optional.of(
        lie
            ? new RuleViolation(
                "S-SPI-04", "the provider says that '" + tag + "' has ended, but it lives")
            : new RuleViolation(rule, "'" + tag + "' is still alive"));
  }

  private List<String> unseen(Set<String> tags) {
    return tags.stream().filter(tag -> processes(tag).isEmpty()).toList();
  }

  /** One look at all of them takes as long as one at one. */
  private List<String> still(Set<String> tags) throws InterruptedException {
    Map<String, Long> before = sizes(tags);
    Await.pause(STILL.toNanos());
    Map<String, Long> after = sizes(tags);
    return tags.stream().filter(tag -> Objects.equals(before.get(tag), after.get(tag))).toList();
  }

  private Map<String, Long> sizes(Set<String> tags) throws InterruptedException {
    Map<String, Long> sizes = new HashMap<>();
    for (String tag : tags) {
      sizes.put(tag, size(tag));
    }
    return sizes;
  }

  private List<Long> processes(String tag) {
    return HostProcesses.with(TckKit.RUN + "=" + run, FaultyProvider.TAG + "=" + tag);
  }

  /** Bytes beaten in all backends; a backend that is gone counts as still. */
  private long size(String tag) throws InterruptedException {
    long size = 0;
    for (FaultyBackend backend : provider.backends()) {
      try {
        size +=
            backend
                .delegate()
                .files()
                .stat("hb-" + tag, Deadline.after(Duration.ofSeconds(5)))
                .size();
      } catch (SandboxException none) {
        size += 0;
      }
    }
    return size;
  }
}
