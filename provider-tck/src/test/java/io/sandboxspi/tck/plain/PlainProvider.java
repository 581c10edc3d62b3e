package io.sandboxspi.tck.plain;

import io.sandboxspi.Capability;
import io.sandboxspi.CleanupTimings;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.core.reap.Owner;
import io.sandboxspi.spi.BackendRef;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.ListedBackend;
import io.sandboxspi.spi.ReleaseOutcome;
import io.sandboxspi.spi.SandboxBackend;
import io.sandboxspi.spi.SandboxProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Processes by {@link ProcessBuilder}, each in a session of its own. */
public final class PlainProvider implements SandboxProvider {
  /** Its kill looks at every process of the machine, which takes time on a busy one. */
  public static final CleanupTimings TIMINGS =
      new CleanupTimings(
          Duration.ofSeconds(4),
          Duration.ofMillis(800),
          Duration.ofMillis(1500),
          Duration.ofSeconds(20));

  private final Map<BackendRef, ListedBackend> made = new ConcurrentHashMap<>();

  @Override
  public String name() {
    return "plain";
  }

  @Override
  public Set<Capability> capabilities() {
    return EnumSet.of(
        Capability.STDIN_AFTER_START,
        Capability.EXIT_CODE_RELIABLE,
        Capability.SEPARATE_STDERR,
        Capability.SIGNALS,
        Capability.KILL_GROUP,
        Capability.KILL_ESCAPED,
        Capability.CLIENT_CHOSEN_ID,
        Capability.REATTACH,
        Capability.LIST);
  }

  @Override
  public SandboxBackend create(BackendRequest request, Deadline deadline) {
    if (!request.options().isEmpty()) {
      throw SandboxException.invalid("option", request.options().keySet(), "no options");
    }
    try {
      Path home = Files.createTempDirectory("sandbox-plain-");
      Files.createDirectory(home.resolve("work"));
      BackendRef ref = ref(request.sessionId(), home);
      made.put(ref, new ListedBackend(ref, request.sessionId(), Owner.of(request), Instant.now()));
      return new PlainBackend(ref, home);
    } catch (IOException e) {
      throw SandboxException.builder(ErrorCode.CREATE_FAILED, Operation.CREATE, "no directory")
          .cause(e)
          .build();
    }
  }

  private BackendRef ref(String id, Path home) {
    return new BackendRef(name(), Map.of("id", id, "home", home.toString()));
  }

  @Override
  public SandboxBackend attach(BackendRef ref, Deadline deadline) {
    Path home = Path.of(ref.data().get("home"));
    if (!Files.isDirectory(home)) {
      throw SandboxException.of(ErrorCode.BACKEND_GONE, Operation.CREATE, "the directory is gone");
    }
    return new PlainBackend(ref, home);
  }

  @Override
  public ReleaseOutcome delete(BackendRef ref, Deadline deadline) throws InterruptedException {
    Path home = Path.of(ref.data().get("home"));
    boolean ended = Processes.end(Set.of("SANDBOX_PLAIN=" + ref.data().get("id")), deadline);
    if (!Files.isDirectory(home)) {
      return ReleaseOutcome.ALREADY_GONE;
    }
    if (!ended) {
      throw SandboxException.of(
          ErrorCode.BACKEND_RELEASE_FAILED, Operation.DELETE, "processes live on");
    }
    Trees.delete(home);
    made.remove(ref);
    return ReleaseOutcome.DESTROYED;
  }

  @Override
  public List<ListedBackend> list(Map<String, String> options, Deadline deadline) {
    return List.copyOf(made.values());
  }
}
