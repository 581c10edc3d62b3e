package io.sandboxspi.docker;

import static io.sandboxspi.docker.StallsTest.Stall.ALL_CUT;
import static io.sandboxspi.docker.StallsTest.Stall.EXEC_CREATE;
import static io.sandboxspi.docker.StallsTest.Stall.EXEC_START;
import static io.sandboxspi.docker.StallsTest.Stall.INSPECT;
import static io.sandboxspi.docker.StallsTest.Stall.KILL_EXEC;
import static io.sandboxspi.docker.StallsTest.Stall.SHELLS;
import static io.sandboxspi.docker.StallsTest.Stall.STOP;
import static io.sandboxspi.docker.StallsTest.Stall.STREAMS_OPEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.sandboxspi.CleanupTimings;
import io.sandboxspi.Command;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExitStatus;
import io.sandboxspi.PtyRequest;
import io.sandboxspi.RunningCommand;
import io.sandboxspi.SandboxEvent;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.SandboxSpec;
import io.sandboxspi.YieldOptions;
import io.sandboxspi.docker.FaultProxy.Action;
import io.sandboxspi.docker.FaultProxy.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Each call of the provider to a real engine stalled for ever, at each time at which processes
 * begin or end: bounded, nothing held on this side, and what was not proven is proven later. Cases
 * wait more than they work: several at a time, each with a session and a relay of its own.
 */
class StallsTest {
  private static final String STREAMS = "POST /exec/[^/]*/start";
  private static final int AT_A_TIME = 4;
  private static final CleanupTimings TIMINGS =
      new CleanupTimings(
          Duration.ofSeconds(1),
          Duration.ofMillis(300),
          Duration.ofMillis(300),
          Duration.ofSeconds(2));
  // Those that keep every kill from its answer, and those that keep the container.
  private static final Set<Stall> NO_KILL = EnumSet.of(EXEC_CREATE, EXEC_START, KILL_EXEC);
  private static final Set<Stall> NO_REMOVAL = EnumSet.of(STOP, Stall.ALL, ALL_CUT);
  // Kill, join and drain of the above, and some for a busy machine.
  private static final Duration BOUND = Duration.ofSeconds(9);
  private static final Duration CLOSE_BOUND = BOUND.plusSeconds(8);

  /** What stalls. */
  enum Stall {
    /** No exec is made, and the shell that is kept is silent. */
    EXEC_CREATE("POST /containers/[^/]*/exec", Action.STALL_REQUEST, 0, true),
    /** No exec is started, and the shell that is kept is silent. */
    EXEC_START(STREAMS, Action.STALL_REQUEST, 0, true),
    /** A shell is started for the kill, and says next to nothing. */
    KILL_EXEC(STREAMS, Action.STALL_AFTER, 180, true),
    /** The shells that are kept freeze. */
    SHELLS(" no such request", Action.STALL_REQUEST, 0, true),
    /** All streams that are open freeze. */
    STREAMS_OPEN(" no such request", Action.STALL_REQUEST, 0, false),
    /** Nobody learns what an exec, or the container, is at. */
    INSPECT("GET /(exec|containers)/[^/]*/json", Action.STALL_REQUEST, 0, false),
    /** The container does not stop. */
    STOP("(POST /containers/[^/]*/stop|DELETE /containers/)", Action.STALL_REQUEST, 0, false),
    /** Nothing is answered any more. */
    ALL(".", Action.STALL_REQUEST, 0, true),
    /** All connections break, and nothing is answered any more. */
    ALL_CUT(".", Action.STALL_REQUEST, 0, false);

    private final String request;
    private final Action action;
    private final long amount;
    private final boolean shellToo;

    Stall(String request, Action action, long amount, boolean shellToo) {
      this.request = request;
      this.action = action;
      this.amount = amount;
      this.shellToo = shellToo;
    }
  }

  private final List<Case> cases = new ArrayList<>();
  private long sockets;

  @BeforeEach
  void engine() throws Exception {
    TestEngine.need(TestEngine.BUSYBOX);
    sockets = DockerFixture.sockets();
  }

  /** One session behind a relay. */
  private final class Case {
    private final FaultProxy proxy = FaultProxy.unix(TestEngine.socket());
    private final SandboxSession session;
    private Optional<Fault> fault = Optional.empty();

    Case(String... options) throws Exception {
      this(spec -> {}, options);
    }

    Case(Consumer<SandboxSpec.Builder> more, String... options) throws Exception {
      Map<String, String> all = new LinkedHashMap<>();
      all.put("host", proxy.address());
      all.put("spares", "0");
      for (int i = 0; i < options.length; i += 2) {
        all.put(options[i], options[i + 1]);
      }
      session = DockerFixture.open(all, spec -> more.accept(spec.timings(TIMINGS)));
      synchronized (cases) {
        cases.add(this);
      }
    }

    void begin(Stall stall) throws Exception {
      fault = Optional.of(proxy.on(stall.request, stall.action, stall.amount));
      if (stall == STREAMS_OPEN) {
        proxy.freezeOpen(STREAMS);
      }
      if (stall == ALL_CUT) {
        proxy.cutAll();
      }
      if (stall.shellToo) {
        freezeShells();
      }
    }

    /** The streams of the shells that are asked again and again. */
    void freezeShells() throws Exception {
      for (String line : proxy.open()) {
        if (line.matches(STREAMS + ".*")) {
          String exec = line.split("/", 4)[2];
          var program =
              DockerFixture.engine()
                  .call(DockerFixture.seconds(10), client -> client.inspectExecCmd(exec).exec())
                  .getProcessConfig();
          if (program != null && program.getArguments().isEmpty()) {
            proxy.freezeOpen(exec);
          }
        }
      }
    }

    long posts() {
      return proxy.requests().stream().filter(line -> line.startsWith("POST")).count();
    }

    void heal() {
      fault.ifPresent(Fault::end);
      proxy.thaw();
    }

    /** Processes of this command line, past the relay. */
    long living(String command) throws Exception {
      return DockerFixture.processes(DockerFixture.container(session)).stream()
          .filter(command::equals)
          .count();
    }

    /** Whether one of these launches that is none of those has processes, past the relay. */
    boolean lives(List<String> launches, List<String> others) throws Exception {
      List<String> all =
          DockerFixture.processes(DockerFixture.container(session), "axeww -o pid,args");
      return launches.stream()
          .filter(each -> !others.contains(each))
          .anyMatch(each -> all.stream().anyMatch(p -> p.contains("SANDBOX_PROCESS=" + each)));
    }

    void provenLater(String command) throws Exception {
      heal();
      DockerFixture.endAll(session);
      assertThat(living(command)).isZero();
      assertThat(DockerFixture.output(session, "echo usable")).isEqualTo("usable\n");
    }

    boolean gone() throws Exception {
      return new Containers(DockerFixture.engine())
              .describe(DockerFixture.container(session), DockerFixture.seconds(10))
              .state()
          == Containers.State.GONE;
    }

    void end() throws Exception {
      proxy.close();
      Throwable late = catchThrowable(session::close);
      // The relay is gone: what matters is that the close came back.
      assertThat(late == null ? ErrorCode.TRANSPORT : code(late)).isNotEqualTo(ErrorCode.INTERNAL);
      new Containers(DockerFixture.engine())
          .remove(DockerFixture.container(session), DockerFixture.seconds(20));
    }
  }

  @AfterEach
  void close() throws Exception {
    together(cases, Case::end);
    nothingIsHeld();
  }

  /** Everything this side holds for the sessions is let go of, whatever answers. */
  private void nothingIsHeld() throws Exception {
    assertThat(DockerFixture.until(Duration.ofSeconds(12), () -> DockerFixture.threads().isEmpty()))
        .as("threads %s", DockerFixture.threads())
        .isTrue();
    assertThat(
            DockerFixture.until(
                Duration.ofSeconds(5), () -> DockerFixture.sockets() <= sockets + ofRelays()))
        .as("sockets: %d, %d, now %d", sockets, ofRelays(), DockerFixture.sockets())
        .isTrue();
  }

  private long ofRelays() {
    // Each listens, too.
    return cases.stream().mapToLong(each -> 1 + each.proxy.connections()).sum();
  }

  private interface Work<T> {
    void on(T value) throws Exception;
  }

  private static <T> void together(Iterable<T> values, Work<T> work) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(AT_A_TIME);
    try {
      Map<T, Future<Boolean>> all = new LinkedHashMap<>();
      for (T value : values) {
        all.put(
            value,
            threads.submit(
                () -> {
                  work.on(value);
                  return true;
                }));
      }
      for (Map.Entry<T, Future<Boolean>> each : all.entrySet()) {
        try {
          assertThat(each.getValue().get(2, TimeUnit.MINUTES)).isTrue();
        } catch (ExecutionException e) {
          throw new AssertionError(each.getKey() + ": " + e.getCause(), e.getCause());
        }
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private static ErrorCode code(Throwable thrown) {
    return thrown instanceof SandboxException e ? e.code() : ErrorCode.INTERNAL;
  }

  private interface Step {
    void run() throws Exception;
  }

  private static void bounded(Duration bound, Step step) throws Exception {
    Duration took =
        DockerFixture.timed(
            () -> {
              step.run();
              return true;
            });
    assertThat(took).isLessThan(bound);
  }

  private static PtyRequest sleeping(String seconds) {
    return PtyRequest.shell("echo up; exec sleep " + seconds)
        .withoutTerminal()
        .collect(YieldOptions.forStart().quietAfter(Duration.ofMillis(1)));
  }

  /** A start whose exec is never made, never starts, never answers, or says nothing. */
  @Test
  void atAStart() throws Exception {
    record Start(String request, Action action, long amount, boolean killToo) {}
    String create = "POST /containers/[^/]*/exec";
    List<Start> starts =
        List.of(
            new Start(create, Action.STALL_REQUEST, 0, false),
            new Start(create, Action.STALL_ANSWER, 0, false),
            new Start(STREAMS, Action.STALL_REQUEST, 0, false),
            new Start(STREAMS, Action.STALL_ANSWER, 0, false),
            new Start(STREAMS, Action.STALL_AFTER, 180, false),
            new Start(STREAMS, Action.STALL_AFTER, 180, true));
    together(
        starts,
        start -> {
          Case mine = new Case();
          Fault fault = mine.proxy.on(start.request(), start.action(), start.amount());
          mine.fault = Optional.of(fault);
          if (start.killToo()) {
            mine.freezeShells();
          }
          bounded(
              BOUND,
              () ->
                  assertThatThrownBy(
                          () ->
                              mine.session.exec(
                                  Command.of("sleep", "711").openTimeout(Duration.ofSeconds(1))))
                      .satisfies(
                          e -> assertThat(code(e)).isEqualTo(ErrorCode.OPEN_TIMEOUT),
                          e -> assertThat(e.getSuppressed()).hasSize(start.killToo() ? 1 : 0)));
          assertThat(fault.met()).isTrue();
          // What was held up may start now: it was killed before.
          mine.provenLater("sleep 711");
        });
  }

  /** Nobody learns an exit code from the engine: the supervisor's record is enough. */
  @Test
  void atAnExit() throws Exception {
    Case mine = new Case();
    mine.begin(INSPECT);
    bounded(
        BOUND,
        () -> {
          assertThat(mine.session.exec(Command.shell("exit 7")).status())
              .isEqualTo(new ExitStatus.Exited(7));
          assertThatThrownBy(
                  () ->
                      mine.session.exec(Command.shell("sleep 60").timeout(Duration.ofMillis(300))))
              .satisfies(e -> assertThat(code(e)).isEqualTo(ErrorCode.EXEC_TIMEOUT));
        });
  }

  /** The whole registry is cleared: every entry has its try, and its own outcome. */
  @Test
  void atTheClearingOfTheRegistry() throws Exception {
    together(
        EnumSet.range(EXEC_CREATE, STOP),
        stall -> {
          Case mine = new Case();
          for (int i = 0; i < 2; i++) {
            Object unused = mine.session.ptys().start(sleeping("712"));
          }
          mine.begin(stall);
          if (NO_KILL.contains(stall)) {
            bounded(
                BOUND,
                () ->
                    assertThatThrownBy(() -> mine.session.ptys().terminateAll())
                        .satisfies(
                            e -> assertThat(code(e)).isEqualTo(ErrorCode.TERMINATION_UNCONFIRMED),
                            e -> assertThat(e.getSuppressed()).hasSizeGreaterThanOrEqualTo(1)));
            assertThat(mine.living("sleep 712")).isEqualTo(2);
          } else {
            // Another shell is opened, and does it.
            bounded(BOUND, () -> DockerFixture.endAll(mine.session));
            assertThat(mine.living("sleep 712")).isZero();
          }
          assertThat(mine.session.ptys().list()).isEmpty();
          mine.provenLater("sleep 712");
        });
  }

  /** A process ends by itself, and what it left cannot be ended: kept, and ended later. */
  @Test
  void atTheFinalizer() throws Exception {
    together(
        EnumSet.range(EXEC_CREATE, STOP),
        stall -> {
          Case mine = new Case();
          RunningCommand command =
              mine.session.start(
                  Command.shell(
                      "setsid sleep 713 >/dev/null 2>&1 & until [ -e go ]; do sleep 0.1; done"));
          mine.session.files().write("go", new byte[0]);
          mine.begin(stall);
          bounded(
              BOUND,
              () -> {
                // While its stream is frozen nobody knows of its end.
                if (stall != STREAMS_OPEN) {
                  assertThat(command.await(BOUND)).isPresent();
                }
              });
          if (NO_KILL.contains(stall)) {
            assertThat(mine.living("sleep 713")).isEqualTo(1);
          }
          mine.provenLater("sleep 713");
        });
  }

  /** The victim's kill hangs; the start that needed its place does not. */
  @Test
  void atAPrune() throws Exception {
    List<SandboxEvent> events = new CopyOnWriteArrayList<>();
    Case mine = new Case(spec -> spec.listener(events::add), "spares", "8");
    for (int i = 0; i < 64; i++) {
      Object unused = mine.session.ptys().start(sleeping("714"));
    }
    // The starts below need the engine for nothing.
    assertThat(DockerFixture.until(BOUND, () -> mine.living("/bin/sh") > 8)).isTrue();
    for (Stall stall : EnumSet.of(EXEC_CREATE, EXEC_START, KILL_EXEC, SHELLS, INSPECT, STOP)) {
      long before = mine.living("sleep 714");
      List<String> told = retained(events);
      mine.begin(stall);
      bounded(BOUND, () -> mine.session.ptys().start(sleeping("715")));
      assertThat(mine.session.ptys().list()).hasSize(64);
      if (NO_KILL.contains(stall)) {
        assertThat(DockerFixture.until(BOUND, () -> mine.lives(retained(events), told)))
            .as("%s: one lives and is retained", stall)
            .isTrue();
      } else {
        assertThat(DockerFixture.until(BOUND, () -> mine.living("sleep 714") < before))
            .as("%s: %d as before", stall, before)
            .isTrue();
      }
      mine.heal();
      assertThat(DockerFixture.output(mine.session, "echo usable")).isEqualTo("usable\n");
    }
    // One question over the kept shell ends them all, where an exec for each has two calls. The
    // stock of spares, which is filled meanwhile, needs some.
    long made = mine.posts();
    DockerFixture.endAll(mine.session);
    assertThat(mine.posts() - made).isLessThan(64);
    assertThat(mine.living("sleep 714") + mine.living("sleep 715")).isZero();
  }

  private static List<String> retained(List<SandboxEvent> events) {
    return events.stream()
        .filter(e -> e instanceof SandboxEvent.Retention retention && retention.retained())
        .map(e -> ((SandboxEvent.Retention) e).processId())
        .toList();
  }

  /** A close comes back, holds nothing on this side, and does the rest when it can. */
  @Test
  void atAClose() throws Exception {
    together(
        EnumSet.allOf(Stall.class),
        stall -> {
          Case mine = new Case("on-release", stall == STOP ? "stop" : "keep");
          for (int i = 0; i < 2; i++) {
            Object unused = mine.session.start(Command.shell("trap '' TERM; sleep 716"));
          }
          mine.begin(stall);
          bounded(
              CLOSE_BOUND,
              () -> {
                Throwable thrown = catchThrowable(mine.session::close);
                if (NO_REMOVAL.contains(stall)) {
                  assertThat(thrown).isInstanceOf(SandboxException.class);
                } else {
                  // The end of the container is the proof of theirs.
                  assertThat(thrown).isNull();
                }
              });
          assertThat(mine.gone()).isEqualTo(!NO_REMOVAL.contains(stall));
        });
    nothingIsHeld();
    together(
        cases,
        mine -> {
          mine.heal();
          bounded(CLOSE_BOUND, mine.session::close);
          assertThat(mine.gone()).isTrue();
        });
  }
}
