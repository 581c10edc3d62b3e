package io.sandboxspi.fake.modal;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.sandboxspi.fake.FakeThreads;
import io.sandboxspi.remote.modal.wire.GenericResult.GenericStatus;
import io.sandboxspi.remote.modal.wire.NetworkAccess.NetworkAccessType;
import io.sandboxspi.remote.modal.wire.Sandbox;
import io.sandboxspi.remote.modal.wire.SandboxTag;
import io.sandboxspi.remote.modal.wire.SecretSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** All sandboxes, also those that have ended. Thread-safe. */
final class Sandboxes {
  private static final String LETTERS =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

  private final ScheduledExecutorService timer;
  private final Tokens tokens;
  private final FakeImages images = new FakeImages();
  private final List<FakeSandbox> all = new CopyOnWriteArrayList<>();
  private final Map<String, Map<String, String>> secrets = new ConcurrentHashMap<>();
  private final Map<String, FakeSandbox> made = new ConcurrentHashMap<>();
  private volatile int page = 50;
  private volatile int limit = Integer.MAX_VALUE;
  private final Semaphore creations = new Semaphore(8);
  private final CountDownLatch closing = new CountDownLatch(1);
  private volatile long creationMillis;
  private final AtomicInteger lateTunnels = new AtomicInteger();

  Sandboxes(ScheduledExecutorService timer, Tokens tokens) {
    this.timer = timer;
    this.tokens = tokens;
  }

  static StatusRuntimeException notFound(String what) {
    return Status.NOT_FOUND.withDescription(what + " not found").asRuntimeException();
  }

  static String word(int length) {
    StringBuilder word = new StringBuilder();
    ThreadLocalRandom.current()
        .ints(length, 0, LETTERS.length())
        .forEach(index -> word.append(LETTERS.charAt(index)));
    return word.toString();
  }

  ScheduledExecutorService timer() {
    return timer;
  }

  FakeImages images() {
    return images;
  }

  int page() {
    return page;
  }

  void page(int size) {
    page = size;
  }

  void limit(int most) {
    limit = most;
  }

  void creationMillis(long time) {
    creationMillis = time;
  }

  void lateTunnels(int answers) {
    lateTunnels.set(answers);
  }

  /** Whether this answer comes too early. */
  boolean tunnelsLate() {
    return lateTunnels.getAndUpdate(n -> Math.max(0, n - 1)) > 0;
  }

  List<FakeSandbox> all() {
    return all;
  }

  List<FakeSandbox> running() {
    return all.stream().filter(each -> each.ended().isEmpty()).toList();
  }

  Optional<FakeSandbox> find(String id) {
    return all.stream().filter(each -> each.id().equals(id)).findFirst();
  }

  FakeSandbox known(String id) {
    return find(id).orElseThrow(() -> notFound("sandbox " + id));
  }

  /** A sandbox that runs, by its task. */
  FakeSandbox ofTask(String task) {
    return running().stream()
        .filter(each -> each.task().equals(task))
        .findFirst()
        .orElseThrow(() -> notFound("task " + task));
  }

  String secret(Map<String, String> values) {
    String id = "st-" + word(22);
    secrets.put(id, Map.copyOf(values));
    return id;
  }

  void secrets(List<String> ids, List<SecretSource> sources, Map<String, String> into) {
    for (String id : ids) {
      Map<String, String> values = secrets.get(id);
      if (values == null) {
        throw notFound("secret " + id);
      }
      into.putAll(values);
    }
    for (SecretSource source : sources) {
      if (source.hasEnv()) {
        into.putAll(source.getEnv().getContentsMap());
      } else {
        secrets(List.of(source.getSecretId()), List.of(), into);
      }
    }
  }

  /**
   * Makes one, once for each key of a call.
   *
   * @param key of the call
   */
  FakeSandbox create(
      String key,
      boolean second,
      String app,
      Sandbox definition,
      List<SandboxTag> tags,
      Map<String, String> variables) {
    check(second, definition);
    long time = creationMillis;
    if (time == 0) {
      return once(key, second, app, definition, tags, variables);
    }
    if (!creations.tryAcquire()) {
      throw Status.RESOURCE_EXHAUSTED
          .withDescription("too many sandboxes are being made")
          .asRuntimeException();
    }
    try {
      if (closing.await(time, TimeUnit.MILLISECONDS)) {
        throw Status.UNAVAILABLE.asRuntimeException();
      }
      return once(key, second, app, definition, tags, variables);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw Status.UNAVAILABLE.withCause(e).asRuntimeException();
    } finally {
      creations.release();
    }
  }

  private synchronized FakeSandbox once(
      String key,
      boolean second,
      String app,
      Sandbox definition,
      List<SandboxTag> tags,
      Map<String, String> variables) {
    FakeSandbox known = key.isEmpty() ? null : made.get(key);
    if (known != null) {
      return known;
    }
    if (running().size() >= limit) {
      throw Status.RESOURCE_EXHAUSTED
          .withDescription("the workspace has reached its limit of sandboxes")
          .asRuntimeException();
    }
    boolean taken =
        definition.hasName()
            && running().stream()
                .anyMatch(each -> each.definition().getName().equals(definition.getName()));
    if (taken) {
      throw Status.ALREADY_EXISTS
          .withDescription("sandbox " + definition.getName() + " already exists")
          .asRuntimeException();
    }
    FakeSandbox fresh = new FakeSandbox(this, second, app, definition, tags, variables);
    all.add(fresh);
    made.put(key, fresh);
    return fresh;
  }

  private void check(boolean second, Sandbox definition) {
    images.check(definition.getImageId());
    boolean blocked =
        definition.getNetworkAccess().getNetworkAccessType() == NetworkAccessType.BLOCKED;
    String wrong =
        definition.getTimeoutSecs() == 0
            ? "no timeout"
            : definition.hasWorkdir() && !definition.getWorkdir().startsWith("/")
                ? "workdir is not absolute"
                : blocked && definition.getOpenPorts().getPortsCount() > 0
                    ? "ports without a network"
                    : second && definition.getResources().getGpuConfig().getCount() > 0
                        ? "GPUs are of the first kind only"
                        : "";
    if (!wrong.isEmpty()) {
      throw Status.INVALID_ARGUMENT.withDescription(wrong).asRuntimeException();
    }
  }

  /** Ends one in the background. */
  void terminate(FakeSandbox sandbox) {
    FakeThreads.start("terminate", () -> sandbox.end(GenericStatus.GENERIC_STATUS_TERMINATED, 137));
  }

  Tokens tokens() {
    return tokens;
  }

  void close() {
    closing.countDown();
    running().forEach(each -> each.end(GenericStatus.GENERIC_STATUS_TERMINATED, 137));
    images.close();
  }
}
