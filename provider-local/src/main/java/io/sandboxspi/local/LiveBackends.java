package io.sandboxspi.local;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.spi.Deadline;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What this JVM has not cleaned up yet: backends that are not released and workspaces of ours that
 * are not deleted. At the JVM's end it ends every process at once, leaves its owners a moment, and
 * removes the rest (spec S-LIFE-08).
 */
final class LiveBackends {
  private static final Logger LOG = LoggerFactory.getLogger(LiveBackends.class);
  private static final Duration KILL_LIMIT = Duration.ofSeconds(3);
  private static final Duration OWNERS_GRACE = Duration.ofSeconds(2);
  private static final Duration REMOVE_LIMIT = Duration.ofSeconds(3);
  private static final long PAUSE_NANOS = Duration.ofMillis(5).toNanos();
  private static final Set<LocalBackend> BACKENDS = ConcurrentHashMap.newKeySet();
  private static final Map<Path, LocalWorkspace> WORKSPACES = new ConcurrentHashMap<>();
  private static volatile boolean ending;

  /** Installed with the first backend. */
  private static final class Hook {
    static final boolean INSTALLED = install();

    private static boolean install() {
      Thread hook = new Thread(LiveBackends::endOfJvm, "sandbox-local-shutdown");
      hook.setDaemon(true);
      try {
        Runtime.getRuntime().addShutdownHook(hook);
        return true;
      } catch (IllegalStateException tooLate) {
        return false;
      }
    }
  }

  private LiveBackends() {}

  /** Refuses when the JVM is ending, as nobody would clean up. */
  static void checkOpen() {
    if (ending || !Hook.INSTALLED) {
      throw SandboxException.of(
          ErrorCode.PROVIDER_UNAVAILABLE, Operation.CREATE, "the JVM is ending");
    }
  }

  /** Before the workspace holds anything. */
  static void add(LocalWorkspace workspace) {
    WORKSPACES.put(workspace.base(), workspace);
  }

  static void add(LocalBackend backend) {
    BACKENDS.add(backend);
  }

  /** After its release: what is left of its files is left on purpose, until it is deleted. */
  static void remove(LocalBackend backend) {
    BACKENDS.remove(backend);
    WORKSPACES.remove(backend.workspace().base());
  }

  static void remove(LocalWorkspace workspace) {
    WORKSPACES.remove(workspace.base());
  }

  /** The backend of this JVM that uses a workspace. */
  static Optional<LocalBackend> of(LocalWorkspace workspace) {
    return BACKENDS.stream()
        .filter(backend -> backend.workspace().base().equals(workspace.base()))
        .findFirst();
  }

  private static void endOfJvm() {
    ending = true;
    long grace = System.nanoTime() + OWNERS_GRACE.toNanos();
    do {
      BACKENDS.forEach(LiveBackends::endProcesses);
      LockSupport.parkNanos(PAUSE_NANOS);
    } while (!(BACKENDS.isEmpty() && WORKSPACES.isEmpty()) && System.nanoTime() < grace);
    BACKENDS.forEach(LiveBackends::endProcesses);
    WORKSPACES.values().forEach(LiveBackends::deleteQuietly);
  }

  private static void endProcesses(LocalBackend backend) {
    try {
      backend.endAll(Deadline.after(KILL_LIMIT));
    } catch (InterruptedException | SandboxException e) {
      LOG.warn("processes of {} may outlive the JVM", backend, e);
    }
  }

  private static void deleteQuietly(LocalWorkspace workspace) {
    try {
      workspace.remove(LocalBackend.check(Deadline.after(REMOVE_LIMIT)));
      remove(workspace);
    } catch (IOException | InterruptedException | SandboxException e) {
      LOG.warn("files of {} are left", workspace.base(), e);
    }
  }
}
