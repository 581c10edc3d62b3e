package io.sandboxspi.remote.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.InputClosedException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RoomTest {
  private static Deadline soon() {
    return Deadline.after(Duration.ofMillis(50));
  }

  @Test
  void whatIsSentAndNotTakenIsNotSettled() {
    Room room = Room.acknowledged();
    assertThat(room.settled()).isTrue();
    room.sent(10);
    room.sent(0);
    room.taken();
    assertThat(room.settled()).as("with the end on its way").isFalse();
    room.taken();
    assertThat(room.settled()).isTrue();
  }

  @Test
  void noMoreThanAWindowIsAhead() throws Exception {
    Room room = Room.acknowledged();
    room.await(1 << 20, soon());
    room.sent(60_000);
    room.await(5_000, soon());
    assertThatThrownBy(() -> room.await(6_000, soon())).isInstanceOf(RemoteException.class);
    room.taken();
    room.await(6_000, soon());
    room.sent(60_000);
    room.close();
    assertThatThrownBy(() -> room.await(6_000, soon())).isInstanceOf(InputClosedException.class);
  }
}
