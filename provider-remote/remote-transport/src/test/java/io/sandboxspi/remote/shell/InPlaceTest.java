package io.sandboxspi.remote.shell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.verifyNoInteractions;
import static org.mockito.Mockito.when;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.SandboxException;
import io.sandboxspi.core.files.SeenFile;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.spi.Deadline;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InPlaceTest {
  private final Machine machine = mock(Machine.class);
  private final InPlace carrier = new InPlace(machine);
  private final Deadline deadline = Deadline.after(Duration.ofSeconds(5));
  private final InputStream content = new ByteArrayInputStream(new byte[3]);

  private static SeenFile file(String path) {
    return new SeenFile(path, 0, 0, 0644, 3, Instant.EPOCH);
  }

  @Test
  void aPlainPathIsTheVendors() throws Exception {
    when(machine.read("/w/a-1_b.txt", deadline)).thenReturn(content);
    assertThat(carrier.open(file("/w/a-1_b.txt"), deadline)).containsSame(content);
    assertThat(carrier.fill(file("/w/.part"), content, -1, deadline)).isTrue();
    verify(machine).write("/w/.part", content, deadline);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/a b", "/x\ny", "/%41", "/caf\u00e9", "/$(id)", "/d\n", "w"})
  void aPathThatCouldBeReadInAnotherWayIsNotPassedOn(String path) throws Exception {
    assertThat(carrier.open(file(path), deadline)).isEmpty();
    assertThat(carrier.fill(file(path), content, 3, deadline)).isFalse();
    verifyNoInteractions(machine);
  }

  @Test
  void aFailureOfTheVendorsIsTyped() throws Exception {
    doThrow(new RemoteException(Kind.BROKEN, "cut")).when(machine).write("/f", content, deadline);
    assertThatThrownBy(() -> carrier.fill(file("/f"), content, 3, deadline))
        .isInstanceOfSatisfying(
            SandboxException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TRANSPORT));
  }
}
