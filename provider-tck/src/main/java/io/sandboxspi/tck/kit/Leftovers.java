package io.sandboxspi.tck.kit;

import io.sandboxspi.SandboxException;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.SandboxBackend;
import io.sandboxspi.tck.RuleViolation;
import io.sandboxspi.tck.SessionFactory;
import io.sandboxspi.tck.TckEnvironment;
import io.sandboxspi.tck.fault.FaultyBackend;
import io.sandboxspi.tck.fault.FaultyProcess;
import io.sandboxspi.tck.fault.FaultyProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Closes what a test opened, finds what is left, and takes it away. */
final class Leftovers {
  private static final String RULE = "S-CLEAN-12";
  private static final Duration PATIENCE = Duration.ofSeconds(8);
  private static final Duration CLOSE = Duration.ofSeconds(40);
  // A class that is loaded late, or a logger, may keep one.
  private static final int SPARE_DESCRIPTORS = 2;

  private final TckEnvironment environment;
  private final String run;
  private final FaultyProvider provider;
  private final List<SandboxBackend> bare = new CopyOnWriteArrayList<>();
  private final long descriptors;

  Leftovers(TckEnvironment environment, String run, FaultyProvider provider) {
    this.environment = environment;
    this.run = run;
    this.provider = provider;
    this.descriptors = descriptors();
  }

  SandboxBackend bareBackend() throws InterruptedException {
    String id = "tck-" + run.substring(0, 13);
    SandboxBackend backend =
        environment
            .provider()
            .create(
                new BackendRequest(id + "-" + bare.size(), environment.options()),
                Deadline.after(Duration.ofSeconds(60)));
    bare.add(backend);
    return backend;
  }

  void closeSessions(boolean passed, List<SessionFactory.Opened> sessions, List<Caller<?>> callers)
      throws InterruptedException {
    for (SessionFactory.Opened each : sessions) {
      Caller<Boolean> close =
          new Caller<>(
              () -> {
                each.session().close();
                return true;
              },
              Flavour.SCOPE,
              CLOSE);
      boolean returned = close.awaitReturn(CLOSE);
      if (passed) {
        close.returnsWithin(RULE, Duration.ofMillis(1));
        close.value(RULE);
      } else if (!returned) {
        close.interrupt();
      }
    }
    for (Caller<?> caller : callers) {
      if (!caller.returned() && !caller.awaitReturn(Duration.ofSeconds(2))) {
        caller.interrupt();
      }
    }
  }

  /** Nothing may be left of the sessions. */
  void audit(List<SessionFactory.Opened> sessions) throws Exception {
    for (FaultyBackend backend : provider.backends()) {
      if (!backend.released()) {
        // A fault answered in place of the backend.
        quietly(() -> backend.delegate().release(seconds(10)));
        quietly(() -> environment.provider().delete(backend.ref(), seconds(10)));
      }
    }
    for (SessionFactory.Opened each : sessions) {
      check(() -> each.ledger().get().isEmpty(), () -> "the ledger has " + each.ledger().get());
      String prefix = "sandbox-" + each.session().id();
      check(() -> threads(prefix).isEmpty(), () -> "threads are left: " + threads(prefix));
    }
    deleteBare();
    if (!Await.until(PATIENCE, () -> processes().isEmpty())) {
      throw new RuleViolation(RULE, "processes are left: " + processes());
    }
    if (environment.auditsDescriptors()) {
      long most = descriptors + SPARE_DESCRIPTORS;
      check(
          () -> descriptors() <= most,
          () -> descriptors() + " descriptors are open, before the test " + descriptors);
    }
  }

  /** Takes away what is left, whatever happened. */
  void remove() throws InterruptedException {
    deleteBare();
    if (!processes().isEmpty()) {
      reap();
    }
    for (FaultyBackend backend : provider.backends()) {
      // A success if it is gone already.
      quietly(() -> environment.provider().delete(backend.ref(), seconds(10)));
    }
    for (long pid : processes()) {
      ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
    }
  }

  /** Ends processes and deletes backends without asking the engine. */
  void reap() throws InterruptedException {
    for (FaultyBackend backend : provider.backends()) {
      for (FaultyProcess process : backend.launches()) {
        quietly(() -> backend.delegate().kill(process.id(), seconds(5)));
      }
      quietly(() -> backend.delegate().release(seconds(10)));
      quietly(() -> environment.provider().delete(backend.ref(), seconds(10)));
    }
  }

  private void deleteBare() throws InterruptedException {
    List<SandboxBackend> mine = new ArrayList<>(bare);
    bare.clear();
    for (SandboxBackend backend : mine) {
      quietly(() -> backend.release(seconds(10)));
      quietly(() -> environment.provider().delete(backend.ref(), seconds(10)));
    }
  }

  private static void quietly(Expect.Work work) throws InterruptedException {
    try {
      work.run();
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception left) {
      // What cannot be removed shows as a leftover; the test's own failure counts.
      assert !(left instanceof SandboxException) || left.getMessage() != null;
    }
  }

  private static Deadline seconds(int value) {
    return Deadline.after(Duration.ofSeconds(value));
  }

  private List<Long> processes() {
    return HostProcesses.with(TckKit.RUN + "=" + run);
  }

  private static Set<String> threads(String prefix) {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith(prefix))
        .collect(Collectors.toSet());
  }

  private static long descriptors() {
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      return open.count();
    } catch (java.io.IOException noProc) {
      return 0;
    }
  }

  private static void check(
      java.util.concurrent.Callable<Boolean> holds, java.util.function.Supplier<String> message)
      throws Exception {
    if (!Await.until(PATIENCE, holds)) {
      throw new RuleViolation(RULE, message.get());
    }
  }
}
