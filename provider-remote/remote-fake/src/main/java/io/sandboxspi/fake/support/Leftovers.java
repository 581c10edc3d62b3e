package io.sandboxspi.fake.support;

import io.sandboxspi.Command;
import io.sandboxspi.PtyRequest;
import io.sandboxspi.SandboxSession;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What sessions leave in this JVM. Other sessions are seen too: a test that asks runs alone.
 *
 * @param descriptors how many are open
 */
public record Leftovers(long descriptors) {
  /** Connections that are idle end some time. */
  private static final int SPARE = 4;

  private static final int SIZE = 300_000;

  /** As it is now. */
  static Leftovers now() throws IOException {
    return new Leftovers(open());
  }

  /**
   * Uses one session after another, and answers what is left of the second: threads, descriptors
   * and connections of this JVM, sandboxes. Empty if nothing is.
   */
  public static String ofSessions(VendorFixture<?, ?> fixture) throws Exception {
    try (SandboxSession first = fixture.openPatient(Map.of())) {
      use(first);
    }
    // What is idle then counts as a descriptor later.
    boolean idle = VendorFixture.until(() -> fixture.fake().connections() == 0);
    Leftovers before = now();
    try (SandboxSession second = fixture.openPatient(Map.of())) {
      use(second);
    }
    String more = before.more();
    int sandboxes = fixture.fake().sandboxes();
    return more
        + (idle ? "" : " connections")
        + (sandboxes == 0 ? "" : " " + sandboxes + " sandboxes");
  }

  /** Uses a session for terminals, commands and files, and leaves some of it running. */
  public static void use(SandboxSession session) throws Exception {
    for (int i = 0; i < 3; i++) {
      Object unused = session.ptys().start(PtyRequest.of("cat").collectFor(Duration.ofMillis(250)));
    }
    int code = session.exec(Command.shell("exit 3")).code().orElse(-1);
    Object running = session.start(Command.of("sleep", "60"));
    session.files().write("file", new byte[SIZE]);
    int size = session.files().read("file").length;
    if (code != 3 || size != SIZE || running == null) {
      throw new IllegalStateException("the session does not work: " + code + ", " + size);
    }
  }

  /** Names of threads of sessions. */
  private static List<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.matches("sandbox-[0-9a-f]{8}-.*"))
        .toList();
  }

  /**
   * Waits until no thread and no more descriptors are left than then; what is, empty if nothing.
   */
  private String more() throws Exception {
    boolean none = VendorFixture.until(() -> threads().isEmpty() && open() <= descriptors + SPARE);
    return none ? "" : "threads " + threads() + ", descriptors " + open() + " after " + descriptors;
  }

  private static long open() throws IOException {
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      return open.count();
    }
  }
}
