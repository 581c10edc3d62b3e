package io.sandboxspi.local.driver.posix;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The time is a number here. */
class FloodsTest {
  private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
  private static final int READ = 4_095;

  private long now = 1_000 * MILLI;
  private final Floods floods = new Floods(now);
  private final Output first = new Output();
  private final Output second = new Output();
  private final Output light = new Output();

  /** An output of which every turn has as many bytes as the test says. */
  private static final class Output extends Floods.Member {
    private boolean watched = true;
    private int available = READ;
    private int turns;

    @Override
    void watched(boolean on) {
      watched = on;
    }

    @Override
    int turn() {
      turns++;
      return available;
    }
  }

  /** Reads of the reactor, of those that are watched. */
  private void reads(int times, Output... outputs) {
    for (int i = 0; i < times; i++) {
      now += MILLI / 10;
      for (Output output : outputs) {
        if (output.watched) {
          floods.read(output, output.available, now);
        }
      }
      floods.serve(now);
    }
  }

  private void talk(Output output) {
    now += MILLI / 10;
    floods.read(output, 1, now);
  }

  /** Two floods and one that says a byte now and then. */
  private void contend() {
    reads(20, first, second);
    talk(light);
    reads(1, first, second);
  }

  @Test
  void floodsAreSetAsideWhileAnotherTalks() {
    contend();
    assertThat(first.watched).isFalse();
    assertThat(second.watched).isFalse();
    assertThat(light.watched).isTrue();
    assertThat(floods.waiting()).isTrue();
  }

  @Test
  void thoseAsideAreReadInTurnAndNoFaster() {
    Output third = new Output();
    Output[] all = {first, second, third};
    reads(20, all);
    talk(light);
    reads(1, all);
    for (Output each : all) {
      each.turns = 0;
    }
    for (int i = 0; i < 30; i++) {
      now += Floods.TURN_MILLIS * MILLI;
      floods.serve(now);
      floods.serve(now);
    }
    for (Output each : all) {
      assertThat(each.turns).isEqualTo(30 * Floods.TURN_SIZE / 3);
    }
  }

  @Test
  void withNobodyElseTalkingTheyAreWatchedAgain() {
    contend();
    now += Floods.LIGHT_NANOS;
    floods.serve(now);
    assertThat(first.watched).isTrue();
    assertThat(second.watched).isTrue();
    assertThat(floods.waiting()).isFalse();
    reads(100, first, second);
    assertThat(first.watched).isTrue();
  }

  @Test
  void aSingleFloodGoesAtFullSpeed() {
    for (int i = 0; i < 100; i++) {
      reads(1, first);
      talk(light);
    }
    assertThat(first.watched).isTrue();
  }

  @Test
  void oneThatCalmsDownIsWatchedAgain() {
    contend();
    first.available = 10;
    for (int i = 0; i < 2 * Floods.CALM_TURNS; i++) {
      talk(light);
      now += Floods.TURN_MILLIS * MILLI;
      floods.serve(now);
    }
    assertThat(first.watched).isTrue();
  }

  @Test
  void onlyTheFloodThatIsLeftGoesOn() {
    contend();
    int turns = first.turns;
    floods.leave(first);
    talk(light);
    now += Floods.TURN_MILLIS * MILLI;
    floods.serve(now);
    assertThat(first.turns).isEqualTo(turns);
    assertThat(second.watched).isTrue();
    assertThat(floods.waiting()).isFalse();
  }
}
