package io.sandboxspi.tck.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExitStatus;
import io.sandboxspi.SandboxException;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.LaunchId;
import io.sandboxspi.spi.LaunchRequest;
import io.sandboxspi.spi.OutputChannel;
import io.sandboxspi.spi.ProcessListener;
import io.sandboxspi.spi.SandboxBackend;
import io.sandboxspi.spi.SandboxProcess;
import io.sandboxspi.tck.Rule;
import io.sandboxspi.tck.scripted.ScriptedProcess;
import io.sandboxspi.tck.scripted.ScriptedProvider;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class FaultPlanTest {
  private final FaultPlan plan = new FaultPlan();
  private final CallLog log = new CallLog();
  private final ScriptedProvider scripted = new ScriptedProvider();
  private final FaultyProvider faulty = new FaultyProvider(scripted, plan, log);
  private final List<String> heard = new ArrayList<>();
  private final ProcessListener listener =
      new ProcessListener() {
        @Override
        public boolean onOutput(OutputChannel channel, ByteBuffer bytes) {
          heard.add(StandardCharsets.ISO_8859_1.decode(bytes).toString());
          return true;
        }

        @Override
        public void onOutputClosed() {
          heard.add("closed");
        }

        @Override
        public void onExit(ExitStatus status) {
          heard.add(status.getClass().getSimpleName());
        }
      };

  private static Deadline soon() {
    return Deadline.after(Duration.ofSeconds(5));
  }

  private SandboxBackend backend() throws InterruptedException {
    return faulty.create(new BackendRequest("s", Map.of()), soon());
  }

  private LaunchRequest tagged(String tag) {
    return new LaunchRequest(
        LaunchId.random(),
        List.of("x"),
        Map.of(FaultyProvider.TAG, tag),
        Optional.empty(),
        Optional.empty(),
        true);
  }

  private ScriptedProcess last() {
    return scripted.backends().get(0).last();
  }

  @Test
  @Rule("S-TCK-01")
  void aRuleThatWasNotMetFailsItsTest() throws InterruptedException {
    plan.at(FaultPoint.KILL_BEFORE).tag("a").fail(IllegalStateException::new);
    SandboxBackend backend = backend();
    LaunchRequest other = tagged("b");
    SandboxProcess unused = backend.launch(other, listener, soon());
    assertThat(backend.kill(other.id(), soon()).proven()).isTrue();
    assertThatThrownBy(plan::verifyUsed)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("KILL_BEFORE of a");
    LaunchRequest mine = tagged("a");
    unused = backend.launch(mine, listener, soon());
    assertThatThrownBy(() -> backend.kill(mine.id(), soon()))
        .isInstanceOf(IllegalStateException.class);
    assertThatCode(plan::verifyUsed).doesNotThrowAnyException();
    assertThat(backend.kill(mine.id(), soon()).proven()).as("the rule is for one call").isTrue();
  }

  @Test
  void aRuleCountsItsCalls() throws InterruptedException {
    plan.at(FaultPoint.PROBE_BEFORE).nth(2).times(2).fail(IllegalStateException::new);
    SandboxBackend backend = backend();
    List<Boolean> failed = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      try {
        Object unused = backend.probe(soon());
        failed.add(false);
      } catch (IllegalStateException e) {
        failed.add(true);
      }
    }
    assertThat(failed).containsExactly(false, true, true, false, false);
    assertThat(log.count(FaultPoint.PROBE_BEFORE)).isEqualTo(5);
  }

  @Test
  void aLieDoesNotReachTheBackend() throws InterruptedException {
    plan.at(FaultPoint.KILL_BEFORE).tag("a").lie();
    SandboxBackend backend = backend();
    LaunchRequest request = tagged("a");
    SandboxProcess unused = backend.launch(request, listener, soon());
    assertThat(backend.kill(request.id(), soon()).proven()).isTrue();
    assertThat(last().ended()).isFalse();
    assertThat(log.count(FaultPoint.KILL_AFTER_BACKEND, "a")).isZero();
  }

  @Test
  void heldOutputComesAfterTheExitAndInOrder() throws InterruptedException {
    Gate gate = plan.at(FaultPoint.OUT_CHUNK).tag("a").nth(2).hold();
    SandboxProcess unused = backend().launch(tagged("a"), listener, soon());
    last().emit("1");
    last().emit("2");
    last().emit("3");
    last().exit(0);
    assertThat(heard).containsExactly("1", "Exited");
    assertThat(gate.awaitReached(Duration.ZERO)).isTrue();
    gate.open();
    assertThat(heard).containsExactly("1", "Exited", "2", "3", "closed");
  }

  @Test
  void aCutChunkIsDeliveredInTwoParts() throws InterruptedException {
    Gate gate = plan.at(FaultPoint.OUT_CHUNK).tag("a").cut(2);
    SandboxProcess unused = backend().launch(tagged("a"), listener, soon());
    last().emit("abcd");
    assertThat(heard).containsExactly("ab");
    gate.open();
    assertThat(heard).containsExactly("ab", "cd");
  }

  @Test
  void aDroppedConnectionIsLostOnceAndWritesFail() throws Exception {
    SandboxProcess process = backend().launch(tagged("a"), listener, soon());
    faulty.launch("a").orElseThrow().dropConnection();
    last().emit("late");
    last().exit(0);
    assertThat(heard).containsExactly("Lost", "closed");
    assertThatThrownBy(() -> process.write(ByteBuffer.wrap(new byte[1]), soon()))
        .isInstanceOfSatisfying(
            SandboxException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TRANSPORT));
  }

  @Test
  void aPartialWriteTakesTheFirstBytes() throws Exception {
    plan.at(FaultPoint.SEND_PARTIAL).tag("a").bytes(3).fail(IllegalStateException::new);
    SandboxProcess process = backend().launch(tagged("a"), listener, soon());
    ByteBuffer bytes = ByteBuffer.wrap("abcdef".getBytes(StandardCharsets.US_ASCII));
    assertThatThrownBy(() -> process.write(bytes, soon()))
        .isInstanceOf(IllegalStateException.class);
    assertThat(last().input()).isEqualTo("abc");
  }

  @Test
  void aFailureAfterTheLaunchLetsGoOfTheHandleAndNotOfTheProcess() throws Exception {
    plan.at(FaultPoint.OPEN_AFTER_BACKEND).fail(IllegalStateException::new);
    SandboxBackend backend = backend();
    assertThatThrownBy(() -> backend.launch(tagged("a"), listener, soon()))
        .isInstanceOf(IllegalStateException.class);
    assertThat(last().releases()).isEqualTo(1);
    assertThat(last().ended()).isFalse();
  }

  @Test
  void theEndOfThePlanOpensEveryGate() throws Exception {
    Gate gate = plan.at(FaultPoint.PROBE_BEFORE).always().stuck();
    SandboxBackend backend = backend();
    Thread prober =
        new Thread(
            () -> {
              try {
                Object unused = backend.probe(soon());
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    prober.start();
    assertThat(gate.awaitReached(Duration.ofSeconds(10))).isTrue();
    prober.interrupt();
    prober.join(200);
    assertThat(prober.isAlive()).as("a stuck call does not notice interrupts").isTrue();
    plan.end();
    prober.join(10_000);
    assertThat(prober.isAlive()).isFalse();
  }
}
