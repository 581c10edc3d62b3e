package io.sandboxspi.tck.rules;

import io.sandboxspi.Command;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.PtyUpdate;
import io.sandboxspi.SandboxEvent;
import io.sandboxspi.SandboxEvent.Outcome;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.tck.Rule;
import io.sandboxspi.tck.kit.Caller;
import io.sandboxspi.tck.kit.Expect;
import io.sandboxspi.tck.kit.Flavour;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What listeners hear. */
public interface EventRules extends KitAccess {
  private void finished(Operation operation, Outcome outcome) throws Exception {
    boolean found =
        kit()
            .told(
                e ->
                    e instanceof SandboxEvent.Finished f
                        && f.operation() == operation
                        && f.outcome() == outcome);
    Expect.that("S-EVT-01", found, "no finish of %s with %s", operation, outcome);
  }

  /** Every start has its finish. */
  @Test
  @Rule("S-EVT-01")
  default void S_EVT_01_everyOperationHasAStartAndAFinish() throws Exception {
    SandboxSession session = kit().session();
    Object unused = session.exec(Command.of("true"));
    Expect.code(
        "S-EXEC-06", ErrorCode.COMMAND_NOT_FOUND, () -> session.exec(Command.of("/no/such")));
    unused = session.start(Command.of("true")).await();
    PtyUpdate start = session.ptys().start(kit().pty("a", "echo up; sleep 60"));
    PtyUpdate other = session.ptys().start(kit().pty("b", "echo up; sleep 1.2"));
    unused = session.ptys().poll(other.id());
    unused = session.ptys().terminate(start.id());
    session.files().write("f", new byte[1]);
    unused = session.files().read("f");
    unused = session.files().stat("f");
    unused = session.files().list(".");
    session.files().makeDirectories("d");
    session.files().remove("f");
    Expect.code("S-FILE-04", ErrorCode.FILE_NOT_FOUND, () -> session.files().read("f"));
    session.stop();
    session.close();
    finished(Operation.CLOSE, Outcome.OK);
    Map<Long, Operation> open = new HashMap<>();
    List<SandboxEvent> events =
        kit().events().stream()
            .sorted(java.util.Comparator.comparingLong(SandboxEvent::sequence))
            .toList();
    for (SandboxEvent event : events) {
      if (event instanceof SandboxEvent.Started started) {
        open.put(started.span(), started.operation());
      } else if (event instanceof SandboxEvent.Finished end) {
        Operation begun = open.getOrDefault(end.span(), Operation.SCOPE);
        open.remove(end.span());
        Expect.that("S-EVT-01", begun == end.operation(), "%s finished as %s", begun, end);
      }
    }
    Expect.that("S-EVT-01", open.isEmpty(), "operations without a finish: %s", open);
    for (Operation operation :
        List.of(
            Operation.EXEC,
            Operation.COMMAND_START,
            Operation.PTY_START,
            Operation.PTY_POLL,
            Operation.PTY_TERMINATE,
            Operation.FILE_READ,
            Operation.FILE_WRITE,
            Operation.FILE_STAT,
            Operation.FILE_LIST,
            Operation.FILE_MAKE_DIRECTORY,
            Operation.FILE_REMOVE,
            Operation.STOP,
            Operation.CLOSE)) {
      finished(operation, Outcome.OK);
    }
    finished(Operation.EXEC, Outcome.ERROR);
    finished(Operation.FILE_READ, Outcome.ERROR);
  }

  /** A cancelled call is told as cancelled. */
  @ParameterizedTest
  @EnumSource(Flavour.class)
  @Rule("S-EVT-01")
  default void S_EVT_01_aCancelledCallFinishesAsCancelled(Flavour flavour) throws Exception {
    SandboxSession session = kit().session();
    Caller<Object> exec =
        kit().call(flavour, () -> session.exec(kit().shell("a", kit().beating("a"))));
    kit().awaitBeat("a");
    exec.cancel();
    exec.returnsWithin("S-EXEC-08", kit().bound().plus(kit().drainBound()))
        .cancelled("S-CANCEL-02");
    finished(Operation.EXEC, Outcome.CANCELLED);
  }
}
