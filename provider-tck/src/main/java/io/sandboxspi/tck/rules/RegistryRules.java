package io.sandboxspi.tck.rules;

import io.sandboxspi.Command;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExecResult;
import io.sandboxspi.PtyInfo;
import io.sandboxspi.PtyUpdate;
import io.sandboxspi.Ptys;
import io.sandboxspi.YieldOptions;
import io.sandboxspi.core.session.EngineOptions;
import io.sandboxspi.tck.Rule;
import io.sandboxspi.tck.Scenario;
import io.sandboxspi.tck.fault.FaultPoint;
import io.sandboxspi.tck.fault.Gate;
import io.sandboxspi.tck.kit.Caller;
import io.sandboxspi.tck.kit.Expect;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Ids, the limit of 64, and who has to go. */
public interface RegistryRules extends KitAccess {
  /** Most PTYs at a time. */
  int LIMIT = 64;

  /** Starts an idle PTY. */
  private int idle(String tag) throws InterruptedException {
    String text = "echo $$ > pid-" + tag + "; echo r; exec sleep 300";
    YieldOptions soon = YieldOptions.forStart().quietAfter(Duration.ofMillis(10));
    return kit().ptys().start(kit().pty(tag, text).collect(soon)).id();
  }

  /** The sandbox itself says that the idle ones have ended; who waits to be reaped has. */
  private void ended(String rule, List<String> tags) throws Exception {
    Command living =
        Command.shell(
            "for t in "
                + String.join(" ", tags)
                + "; do case $(cat \"/proc/$(cat pid-$t)/stat\" 2>/dev/null) in"
                + " '' | *') Z '*) ;; *) echo $t ;; esac; done");
    kit()
        .eventually(
            rule,
            "ended: " + tags,
            () -> {
              ExecResult result = kit().session().exec(living);
              return result.successful() && result.stdout().text().isEmpty();
            });
  }

  /** Fills the registry one by one, so that recency is the order of the list. */
  private List<Integer> fill(int first) throws InterruptedException {
    List<Integer> ids = new ArrayList<>();
    for (int i = first; i < LIMIT; i++) {
      ids.add(idle("p" + i));
    }
    return ids;
  }

  private Set<Integer> listed() throws InterruptedException {
    Set<Integer> ids = new HashSet<>();
    kit().ptys().list().forEach(info -> ids.add(info.id()));
    return ids;
  }

  /** Ended ones go first, then the least recently used. */
  @ResourceLock(KitAccess.MANY)
  @Test
  @Rule({"S-REG-01", "S-REG-02"})
  @Scenario("R17")
  default void S_REG_02_endedOnesGoFirstThenTheLeastRecentlyUsed() throws Exception {
    Ptys ptys = kit().ptys();
    AtomicInteger most = new AtomicInteger();
    kit().gates().sample(() -> most.accumulateAndGet(ptys.list().size(), Math::max));
    List<Integer> ids = new ArrayList<>();
    List<Integer> ending = new ArrayList<>();
    for (int i = 0; i < LIMIT; i++) {
      if (i % 20 == 5) {
        PtyUpdate start =
            ptys.start(kit().pty("e" + i, "echo r; until [ -e go ]; do sleep 0.2; done"));
        ending.add(start.id());
      } else {
        ids.add(idle("p" + i));
      }
    }
    kit().files().write("go", new byte[0]);
    kit()
        .eventually(
            "S-REG-02",
            "the ended ones are listed as ended",
            () -> ptys.list().stream().filter(p -> p.exit().isPresent()).count() == ending.size());
    // The last of them is among the 8 most recent if it is one of the last started: it is not.
    List<Integer> victims = new ArrayList<>(ending);
    victims.addAll(ids.subList(0, 3));
    for (int victim : victims) {
      Set<Integer> before = listed();
      int id = idle("n" + victim);
      Set<Integer> gone = new HashSet<>(before);
      gone.removeAll(listed());
      Expect.same("S-REG-02", Set.of(victim), gone, "who had to go");
      Expect.that("S-REG-01", !before.contains(id), "id %d is given twice", id);
    }
    ended("S-REG-06", List.of("p0", "p1", "p2"));

    List<Caller<Integer>> starts = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      String tag = "c" + i;
      starts.add(kit().call(() -> idle(tag)));
    }
    Set<Integer> fresh = new HashSet<>();
    for (Caller<Integer> start : starts) {
      int id = start.returnsWithin("S-REG-06", Duration.ofSeconds(40)).value("S-REG-06");
      Expect.that("S-REG-01", id >= 1000 && id <= 99_999, "id %d", id);
      Expect.that("S-REG-01", fresh.add(id), "id %d is given twice", id);
    }
    Expect.same("S-REG-01", LIMIT, ptys.list().size(), "PTYs after all starts");
    Expect.that("S-REG-01", most.get() <= LIMIT, "%d PTYs were seen at a time", most.get());
    ended(
        "S-REG-06",
        List.of("p3", "p4", "p6", "p7", "p8", "p9", "p10", "p11", "p12", "p13", "p14", "p15"));
    // On a busy machine the proof may come too late for a kill of a dozen.
    kit()
        .eventually(
            "S-REG-06",
            "pruned ones are ended, or retained and reported",
            () -> kit().ownedProcesses() == LIMIT + kit().retainedProcesses());
  }

  /** One in a call stays; when all are, a start is refused. */
  @ResourceLock(KitAccess.MANY)
  @Test
  @Rule("S-REG-03")
  @Scenario("R20")
  default void S_REG_03_onesInACallAreNeverPruned() throws Exception {
    Ptys ptys = kit().ptys();
    List<Integer> ids = fill(0);
    List<Caller<PtyUpdate>> polls = new ArrayList<>();
    polls.add(kit().call(() -> ptys.poll(ids.get(0), PtyRules.LONG_POLL)));
    kit().pass(Duration.ofMillis(500));
    for (int i = 1; i < 4; i++) {
      // Uses of others, so that the one in its poll is the least recently used again.
      int id = ids.get(i);
      polls.add(kit().call(() -> ptys.poll(id, PtyRules.LONG_POLL)));
    }
    kit().pass(Duration.ofMillis(500));
    int fresh = idle("fresh");
    Set<Integer> left = listed();
    Expect.that("S-REG-03", left.containsAll(ids.subList(0, 4)), "a PTY in a call was pruned");
    Expect.that("S-REG-02", !left.contains(ids.get(4)), "the least recently used idle one goes");
    for (int id : left) {
      polls.add(kit().call(() -> ptys.poll(id, PtyRules.LONG_POLL)));
    }
    kit().pass(Duration.ofMillis(1500));
    Caller<Integer> refused = kit().call(() -> idle("refused"));
    Throwable thrown = refused.returnsWithin("S-REG-03", kit().bound()).failed("S-REG-03");
    Expect.code("S-REG-03", ErrorCode.TOO_MANY_PTYS, thrown);
    Expect.same("S-REG-03", left, listed(), "the PTYs after the refusal");
    Expect.that("S-REG-03", left.contains(fresh), "the newest is there");
    kit().terminateAll().returnsWithin("S-PTY-07", kit().bound()).value("S-REG-03");
    for (Caller<PtyUpdate> poll : polls) {
      poll.returnsWithin("S-PTY-07", kit().bound());
    }
  }

  /** An id is not given again before its process is proven ended. */
  @Test
  @Rule("S-REG-04")
  @Scenario("R18")
  default void S_REG_04_anIdIsReservedUntilItsProcessIsProvenEnded() throws Exception {
    int wanted = 4711;
    IntSupplier random = EngineOptions.defaults().ptyIds();
    AtomicInteger draws = new AtomicInteger();
    kit().ptyIds(() -> draws.incrementAndGet() % 2 == 1 ? wanted : random.getAsInt());
    Ptys ptys = kit().ptys();
    int id = kit().beat("a");
    Expect.same("S-REG-01", wanted, id, "the first id drawn");
    Gate gate = kit().at(FaultPoint.KILL_BEFORE).tag("a").stuck();
    Caller<PtyUpdate> terminate = kit().call(() -> ptys.terminate(id));
    Throwable thrown = terminate.returnsWithin("S-CLEAN-05", kit().bound()).failed("S-REG-04");
    Expect.code("S-REG-04", ErrorCode.TERMINATION_UNCONFIRMED, thrown);
    for (int i = 0; i < 4; i++) {
      int other = idle("b" + i);
      Expect.that("S-REG-04", other != wanted, "the id of a living process was given again");
    }
    Expect.code("S-REG-04", ErrorCode.PTY_NOT_FOUND, () -> ptys.poll(id));
    kit().alive("S-REG-04", "a");
    gate.open();
    kit().dead("S-CLEAN-07", "a");
    kit().eventually("S-CLEAN-07", "the end counts", () -> kit().ownedProcesses() == 4);
    boolean again = false;
    for (int i = 0; i < 3 && !again; i++) {
      again = idle("c" + i) == wanted;
    }
    Expect.that("S-REG-04", again, "the id stays reserved after the proof");
  }

  /** Whose room it was is not the starter's trouble. */
  @ResourceLock(KitAccess.MANY)
  @Test
  @Rule({"S-REG-06", "S-CLEAN-07"})
  @Scenario({"R19", "R15"})
  default void S_REG_06_theVictimsTroubleIsNotTheStarters() throws Exception {
    Ptys ptys = kit().ptys();
    Throwable failure = new IllegalStateException("the victim's kill fails");
    kit().at(FaultPoint.KILL_BEFORE).tag("v1").fail(() -> failure);
    Gate gate = kit().at(FaultPoint.KILL_BEFORE).tag("v2").stuck();
    int first = kit().beat("v1");
    int second = kit().beat("v2");
    List<Integer> ids = fill(2);
    for (String tag : List.of("n1", "n2")) {
      Caller<PtyUpdate> start =
          kit().call(() -> ptys.start(kit().pty(tag, "echo mine; exec sleep 300")));
      start.awaitReturn(kit().slack());
      PtyUpdate update = start.returnsWithin("S-REG-06", Duration.ofMillis(1)).value("S-REG-06");
      Expect.same("S-REG-06", "mine\n", update.output(), "the starter's own output");
    }
    Set<Integer> left = listed();
    Expect.that("S-REG-02", !left.contains(first) && !left.contains(second), "the oldest two went");
    Expect.that("S-REG-02", left.containsAll(ids), "another one went");
    Expect.code("S-REG-06", ErrorCode.PTY_NOT_FOUND, () -> ptys.poll(second));
    kit().eventually("S-CLEAN-07", "victims are retained", () -> kit().ownedProcesses() == 66);
    kit().alive("S-REG-06", "v1");
    Expect.that("S-REG-06", gate.awaitReached(kit().slack()), "the second kill was tried");
    Caller<Boolean> sweep = kit().terminateAll();
    sweep.returnsWithin("S-CLEAN-05", kit().bound().plus(kit().slack()));
    gate.open();
    kit().dead("S-CLEAN-07", "v1", "v2");
    kit().ownsNothing("S-CLEAN-07");
    List<PtyInfo> rest = ptys.list();
    Expect.that("S-CLEAN-07", rest.isEmpty(), "PTYs after a sweep: %s", rest);
  }
}
