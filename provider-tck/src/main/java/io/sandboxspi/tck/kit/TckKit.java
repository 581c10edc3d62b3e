package io.sandboxspi.tck.kit;

import io.sandboxspi.Capability;
import io.sandboxspi.Checkpoint;
import io.sandboxspi.CleanupTimings;
import io.sandboxspi.Command;
import io.sandboxspi.PtyRequest;
import io.sandboxspi.PtyUpdate;
import io.sandboxspi.Ptys;
import io.sandboxspi.RunningCommand;
import io.sandboxspi.SandboxEvent;
import io.sandboxspi.SandboxFiles;
import io.sandboxspi.SandboxListener;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.SandboxSpec;
import io.sandboxspi.Snapshot;
import io.sandboxspi.SnapshotPolicy;
import io.sandboxspi.YieldOptions;
import io.sandboxspi.core.session.EngineOptions;
import io.sandboxspi.core.session.ResourceLedger;
import io.sandboxspi.core.snapshot.MemorySnapshots;
import io.sandboxspi.core.snapshot.SnapshotStores;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.SandboxBackend;
import io.sandboxspi.spi.SnapshotStore;
import io.sandboxspi.tck.RuleViolation;
import io.sandboxspi.tck.SessionFactory;
import io.sandboxspi.tck.TckEnvironment;
import io.sandboxspi.tck.fault.CallLog;
import io.sandboxspi.tck.fault.FaultPlan;
import io.sandboxspi.tck.fault.FaultPoint;
import io.sandboxspi.tck.fault.FaultRule;
import io.sandboxspi.tck.fault.FaultyProcess;
import io.sandboxspi.tck.fault.FaultyProvider;
import io.sandboxspi.tck.fault.FaultySnapshots;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/** What one test works with: a session over the decorated provider, faults, callers, heartbeats. */
public final class TckKit {
  /** The variable that marks every process of one test. */
  static final String RUN = "SANDBOX_TCK_RUN";

  private final TckEnvironment environment;
  private final String run = UUID.randomUUID().toString();
  private final FaultPlan plan = new FaultPlan();
  private final CallLog log = new CallLog();
  private final FaultyProvider provider;
  private final EngineGates gates = new EngineGates();
  private final List<SandboxEvent> events = new CopyOnWriteArrayList<>();
  private final List<SandboxListener> listeners = new CopyOnWriteArrayList<>();
  private final List<Caller<?>> callers = new CopyOnWriteArrayList<>();
  private final List<SessionFactory.Opened> sessions = new CopyOnWriteArrayList<>();
  private final Heartbeats heartbeats;
  private final Leftovers leftovers;
  private SnapshotPolicy policy = SnapshotPolicy.none();
  private IntSupplier ptyIds = EngineOptions.defaults().ptyIds();

  /** For one test. */
  public TckKit(TckEnvironment environment) {
    this.environment = environment;
    this.provider = new FaultyProvider(environment.provider(), plan, log);
    this.heartbeats = new Heartbeats(run, provider, log);
    this.leftovers = new Leftovers(environment, run, provider);
  }

  // Faults

  /** Begins a fault rule. */
  public FaultRule at(FaultPoint point) {
    return plan.at(point);
  }

  /** Opens every gate; no fault acts from now on. */
  public void endFaults() {
    plan.end();
    gates.end();
  }

  /** Every call at the seam. */
  public CallLog log() {
    return log;
  }

  /** The decorated provider. */
  public FaultyProvider provider() {
    return provider;
  }

  /** Holds the engine at its hook points. */
  public EngineGates gates() {
    return gates;
  }

  /** Where the next session's PTY ids come from. */
  public void ptyIds(IntSupplier value) {
    ptyIds = value;
  }

  // Sessions

  /** The session under test; opened at the first call. */
  public SandboxSession session() throws InterruptedException {
    return sessions.isEmpty() ? open() : sessions.get(0).session();
  }

  /** Opens one more session. */
  public SandboxSession open() throws InterruptedException {
    return open(spec -> {});
  }

  /** Opens one more session whose spec has something more in it. */
  public SandboxSession open(Consumer<SandboxSpec.Builder> more) throws InterruptedException {
    return add(environment.sessions().open(provider, spec(more), options()));
  }

  private SandboxSession add(SessionFactory.Opened opened) {
    sessions.add(opened);
    return opened.session();
  }

  private SandboxSpec spec() {
    return spec(spec -> {});
  }

  private SandboxSpec spec(Consumer<SandboxSpec.Builder> more) {
    SandboxSpec.Builder spec =
        SandboxSpec.builder()
            .env(RUN, run)
            .timings(environment.timings())
            .snapshots(policy)
            .listener(this::heard);
    environment.options().forEach(spec::option);
    more.accept(spec);
    return spec.build();
  }

  private EngineOptions options() {
    return EngineOptions.defaults().withHooks(gates).withPtyIds(ptyIds);
  }

  /** From now on sessions save their workspaces, in a store of this kit. */
  public void saving() {
    String space = "tck-" + run;
    SnapshotStore store =
        SnapshotStores.open(MemorySnapshots.NAME, Map.of(MemorySnapshots.SPACE, space));
    saving(
        FaultySnapshots.put(run, environment.snapshots().apply(store), plan, log)
            .timeout(timings().release()));
  }

  /** Sessions save their workspaces as this policy says. */
  public void saving(SnapshotPolicy value) {
    policy = value;
  }

  /** Where sessions save their workspaces. */
  public SnapshotPolicy policy() {
    return policy;
  }

  /** The numbers of the snapshots that the kit's store lists for a sandbox, newest first. */
  public List<Long> snapshots(Checkpoint checkpoint) throws InterruptedException {
    return SnapshotStores.open(policy.store(), policy.options())
        .list(checkpoint.lineage(), Deadline.after(slack()))
        .stream()
        .map(Snapshot::sequence)
        .toList();
  }

  /** Opens a session from a checkpoint. */
  public SandboxSession resume(Checkpoint checkpoint) throws InterruptedException {
    return resume(checkpoint, false);
  }

  /** Opens a session from a checkpoint, perhaps with the workspace put back. */
  public SandboxSession resume(Checkpoint checkpoint, boolean back) throws InterruptedException {
    return add(environment.sessions().resume(provider, checkpoint, spec(), back, options()));
  }

  private void heard(SandboxEvent event) {
    events.add(event);
    listeners.forEach(listener -> listener.onEvent(event));
  }

  /** The PTYs of the session under test. */
  public Ptys ptys() throws InterruptedException {
    return session().ptys();
  }

  /** The files of the session under test. */
  public SandboxFiles files() throws InterruptedException {
    return session().files();
  }

  /** The undecorated backend of the session under test. */
  public SandboxBackend backend() throws InterruptedException {
    String unused = session().id();
    return provider.backends().get(0).delegate();
  }

  /** A backend without an engine; deleted at the end. */
  public SandboxBackend bareBackend() throws InterruptedException {
    return leftovers.bareBackend();
  }

  /** A variable that marks a process as this test's, for launches without an engine. */
  public String runId() {
    return run;
  }

  /** What the session under test owns. */
  public List<ResourceLedger.Resource> owned() throws InterruptedException {
    String unused = session().id();
    return sessions.get(0).ledger().get();
  }

  /** How many processes the session under test owns. */
  public long ownedProcesses() throws InterruptedException {
    return owned().stream().filter(resource -> resource.kind().equals("PROCESS")).count();
  }

  /** How many processes were reported as not proven ended, and not as proven since. */
  public long retainedProcesses() {
    Map<String, Boolean> last = new HashMap<>();
    for (SandboxEvent event : events) {
      if (event instanceof SandboxEvent.Retention told) {
        last.put(told.processId(), told.retained());
      }
    }
    return last.values().stream().filter(retained -> retained).count();
  }

  /** Events of all sessions so far. */
  public List<SandboxEvent> events() {
    return List.copyOf(events);
  }

  /** Whether such an event is told; listeners hear a moment after the operation. */
  public boolean told(Predicate<SandboxEvent> wanted) throws Exception {
    return Await.until(bound(), () -> events.stream().anyMatch(wanted));
  }

  /** Tells a listener of every event from now on. */
  public void listen(SandboxListener listener) {
    listeners.add(listener);
  }

  // Bounds

  /** Options of every session. */
  public Map<String, String> providerOptions() {
    return environment.options();
  }

  /** Bounds of cleanup. */
  public CleanupTimings timings() {
    return environment.timings();
  }

  /** What is added to every bound. */
  public Duration slack() {
    return environment.slack();
  }

  /** Time for one cleanup: kill, join, slack. */
  public Duration bound() {
    return timings().kill().plus(timings().join()).plus(slack());
  }

  /** Time for a final drain: drain, slack. */
  public Duration drainBound() {
    return timings().finalDrain().plus(slack());
  }

  /** Time for a whole close: cleanup, release, deletion. */
  public Duration closeBound() {
    return bound().plus(timings().release().multipliedBy(2));
  }

  // Callers

  /** Makes a call on a thread of its own. */
  public <T extends @Nullable Object> Caller<T> call(Callable<T> work) {
    return call(Flavour.SCOPE, work);
  }

  /** Makes a call that can be cancelled. */
  public <T extends @Nullable Object> Caller<T> call(Flavour flavour, Callable<T> work) {
    return call(flavour, Caller.DEADLINE, work);
  }

  /** Makes a call that can be cancelled, with a deadline of its own. */
  public <T extends @Nullable Object> Caller<T> call(
      Flavour flavour, Duration deadline, Callable<T> work) {
    Caller<T> caller = new Caller<>(work, flavour, deadline);
    callers.add(caller);
    return caller;
  }

  /** Makes a call without a value. */
  public Caller<Boolean> run(Expect.Work work) {
    return run(Flavour.SCOPE, work);
  }

  /** Makes a call without a value that can be cancelled. */
  public Caller<Boolean> run(Flavour flavour, Expect.Work work) {
    return call(
        flavour,
        () -> {
          work.run();
          return true;
        });
  }

  /** Ends every process from another thread. */
  public Caller<Boolean> terminateAll() throws InterruptedException {
    Ptys ptys = ptys();
    return run(ptys::terminateAll);
  }

  /** Ends every process from another thread that can be cancelled. */
  public Caller<Boolean> terminateAll(Flavour flavour) throws InterruptedException {
    Ptys ptys = ptys();
    return run(flavour, ptys::terminateAll);
  }

  // Processes

  /** A command with a tag. */
  public Command shell(String tag, String text) {
    return Command.shell(text).env(FaultyProvider.TAG, tag);
  }

  /** A PTY without a terminal, with a tag; the start returns soon after the first output. */
  public PtyRequest pty(String tag, String text) {
    return PtyRequest.shell(text)
        .env(FaultyProvider.TAG, tag)
        .withoutTerminal()
        .collect(quick(YieldOptions.forStart()));
  }

  /** A PTY on a terminal, with a tag; needs {@link Capability#TTY}. */
  public PtyRequest terminal(String tag, String text) {
    need(Capability.TTY);
    return PtyRequest.shell(text)
        .env(FaultyProvider.TAG, tag)
        .collect(quick(YieldOptions.forStart()));
  }

  /** Returns soon after output. */
  public static YieldOptions quick(YieldOptions options) {
    return options.quietAfter(Duration.ofMillis(60));
  }

  /** Shell text that beats for ever and takes no hint. */
  public String beating(String tag) {
    return Heartbeats.script(tag);
  }

  /** Starts a heartbeat as a PTY without a terminal; waits until it beats. */
  public int beat(String tag) throws Exception {
    PtyUpdate update = ptys().start(pty(tag, "echo up; " + beating(tag)));
    heartbeats.awaitAlive(tag, bound());
    return update.id();
  }

  /** Starts a heartbeat as a command; waits until it beats. */
  public RunningCommand beatCommand(String tag) throws Exception {
    RunningCommand command = session().start(shell(tag, beating(tag)));
    heartbeats.awaitAlive(tag, bound());
    return command;
  }

  /** The process that was launched with the tag; waits for the launch to return. */
  public FaultyProcess launched(String tag) throws Exception {
    boolean unused = Await.until(bound(), () -> provider.launch(tag).isPresent());
    return provider
        .launch(tag)
        .orElseThrow(() -> new IllegalStateException("'" + tag + "' was not launched"));
  }

  /** Waits until the tagged process beats. */
  public void awaitBeat(String tag) throws Exception {
    heartbeats.awaitAlive(tag, bound());
  }

  /** It beats, or the rule is broken. */
  public void alive(String rule, String tag) throws Exception {
    if (!heartbeats.becomesAlive(tag, bound())) {
      throw new RuleViolation(rule, "'" + tag + "' should be alive");
    }
  }

  /** All end within the bound, or the rule is broken; if the provider lied, its rule is. */
  public void dead(String rule, String... tags) throws Exception {
    Optional<RuleViolation> violation = heartbeats.survivor(rule, List.of(tags), bound());
    if (violation.isPresent()) {
      throw violation.get();
    }
  }

  /** Becomes true within the time, or the rule is broken. */
  public void eventually(String rule, String what, Callable<Boolean> condition) throws Exception {
    if (!Await.until(bound(), condition)) {
      throw new RuleViolation(rule, "not within " + bound() + ": " + what);
    }
  }

  /** Lets this time pass; for showing that something does not happen. */
  public void pass(Duration time) throws InterruptedException {
    Await.pause(time.toNanos());
  }

  /** The session owns nothing any more within the bound, or the rule is broken. */
  public void ownsNothing(String rule) throws Exception {
    if (!Await.until(bound(), () -> owned().isEmpty())) {
      throw new RuleViolation(rule, "the session still owns " + owned());
    }
  }

  // Capabilities

  /** Whether the provider declares it. */
  public boolean has(Capability capability) {
    return provider.capabilities().contains(capability);
  }

  /** Skips the test without the capability. */
  public void need(Capability capability) {
    Assumptions.assumeTrue(has(capability), () -> "needs capability " + capability);
  }

  // The end

  /**
   * Ends faults and sessions.
   *
   * @param passed whether the test has passed so far; only then is what is left a failure
   */
  public void close(boolean passed) throws Exception {
    endFaults();
    List<String> unused = plan.unused();
    try {
      leftovers.closeSessions(passed, sessions, callers);
      if (passed) {
        leftovers.audit(sessions);
        if (!unused.isEmpty()) {
          throw new AssertionError("the scenario did not meet its faults: " + unused);
        }
      }
    } finally {
      leftovers.remove();
      FaultySnapshots.remove(run);
      MemorySnapshots.clear("tck-" + run);
    }
  }

  /** Ends what the real backends still run after the engine was told that they are destroyed. */
  public void reapBehindTheEngine() throws InterruptedException {
    leftovers.reap();
  }
}
